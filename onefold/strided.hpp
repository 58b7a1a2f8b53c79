// Outputs of any strides: with holes between answers, or in another order than C order.
//
//   onefold::StridedOutput out(p, onefold::DType::f64, {3, 4}, {8, 24});   // in Fortran order
//   onefold::fold_into(out, "sum", x, {.axes = {0}});
#pragma once

#include "onefold/fold.hpp"

namespace onefold {

// Where answers are to be written.
//   strides  in bytes: positive multiples of an element's bytes, large enough that no two answers
//            share memory
//   status   null, or an array with the same strides in elements: the status of the value that lies
//            k elements behind `data` is status[k]
struct StridedOutput {
  void* data = nullptr;
  DType dtype = DType::f64;
  Dims shape, strides;
  Status* status = nullptr;

  StridedOutput(void* p, DType t, Dims extents, Dims bytes, Status* s = nullptr)
      : data(p), dtype(t), shape(extents), strides(bytes), status(s) {}
};

// Does the same as the other fold_into. Bytes between the answers stay as they are.
//   out     its shape is that of the answer; `outs` for several ops
//   throws  also bad_option: invalid strides, outputs whose ranges from the first to the last
//           answer overlap, a communicator
//   cost    on a device that holds x and all outputs: none; the outputs of one call must then have
//           equal strides in elements. If x or an output is elsewhere, or the host rounds the op,
//           answers are copied through host memory
void fold_into(const StridedOutput& out, std::string_view op, const ArrayRef& x,
               const Options& options = {});
void fold_into(const StridedOutput& out, std::string_view op, const ArrayRef& x, const ArrayRef& y,
               const Options& options = {});
void fold_into(std::span<const StridedOutput> outs, std::string_view ops, const ArrayRef& x,
               const Options& options = {});

}  // namespace onefold
