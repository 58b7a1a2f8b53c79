// Products of matrices: each entry is the exact dot product of a row and a column, rounded once.
//
//   a, b     shapes (.., m, k) and (.., k, n), of one type; axes before the last two broadcast. An
//            array of one axis is a row on the left and a column on the right, and that axis has
//            no place in the answer. Any strides, on the host or on one device
//   types    floats T, signed integers and bools int64, unsigned ones uint64; or options.result
//   entries  NaN, infinities, zeros and overflow are those of the op dot (docs/numerics.md), so the
//            bits do not depend on shapes, batches, strides, threads or instruction sets
//   options  .result, .wide, .nan, .device, .stream, .threads, .target
//   throws   shape_mismatch, type_mismatch, bad_option: any other option; as fold does
//   cost     docs/matmul.md
#pragma once

#include "onefold/fold.hpp"

namespace onefold {

Answer matmul(const ArrayRef& a, const ArrayRef& b, const Options& options = {});

// Writes the entries to `out`, as fold(request, outputs) does: on a device the work is queued.
void matmul_into(const OutputRef& out, const ArrayRef& a, const ArrayRef& b,
                 const Options& options = {});

// Writes the entries of c + a b, each exact and rounded once.
//   a, b   two matrices of the host
//   c      of their type, on the host; broadcasts to the product's shape
//   out    of that shape
//   cost   for c of one row or column that of matmul_into and copies of a and b; else each row is a
//          product of its own
void addmm_into(const OutputRef& out, const ArrayRef& c, const ArrayRef& a, const ArrayRef& b,
                const Options& options = {});

// While it lives, products of this thread on a device use its memory for residues and sums, where
// otherwise they allocate up to 1.1 GiB, which stay with the stream. Less memory means smaller
// blocks. The kernels of several streams must not use it at the same time, and it must stay
// allocated until those that use it have ended.
//   memory  of the device, aligned to 256 bytes
//   throws  bad_option: it is not aligned. A product throws it if it needs more bytes
class MatmulWorkspace {
 public:
  MatmulWorkspace(int device, void* memory, std::size_t bytes);
  ~MatmulWorkspace();
  MatmulWorkspace(const MatmulWorkspace&) = delete;
  MatmulWorkspace& operator=(const MatmulWorkspace&) = delete;

 private:
  int device_;
  void* memory_;
  std::size_t bytes_;  // of what was lent before
};

}  // namespace onefold
