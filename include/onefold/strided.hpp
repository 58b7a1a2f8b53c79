// Answers into memory of any strides: with holes, or in another order than C's.
//
//   onefold::StridedOutput out(p, onefold::DType::f64, {3, 4}, {8, 24});   // in Fortran order
//   onefold::fold_into(out, "sum", x, {.axes = {0}});
#pragma once

#include "onefold/fold.hpp"

namespace onefold {

// A place for answers.
//   strides  bytes, a multiple of an element's each; upwards, and so far apart that no two answers
//            share memory
//   status   null, or as far apart as the values, in elements: that of the value which lies k
//            elements behind `data` is status[k]
struct StridedOutput {
  void* data = nullptr;
  DType dtype = DType::f64;
  Dims shape, strides;
  Status* status = nullptr;

  StridedOutput(void* p, DType t, Dims extents, Dims bytes, Status* s = nullptr)
      : data(p), dtype(t), shape(extents), strides(bytes), status(s) {}
};

// As the other fold_into. Elements between the answers stay as they are.
//   out     the shape of the answer; of several ops `outs`
//   throws  also bad_option: strides that are no such, outputs whose spans from the first to the
//           last answer meet, a communicator
//   cost    on a device, with x and all outputs there: none; outputs of one call then have equal
//           strides in elements, or the call refuses. From or to elsewhere, and of ops that are
//           rounded on the host, answers go by memory of the host
void fold_into(const StridedOutput& out, std::string_view op, const ArrayRef& x,
               const Options& options = {});
void fold_into(const StridedOutput& out, std::string_view op, const ArrayRef& x, const ArrayRef& y,
               const Options& options = {});
void fold_into(std::span<const StridedOutput> outs, std::string_view ops, const ArrayRef& x,
               const Options& options = {});

}  // namespace onefold
