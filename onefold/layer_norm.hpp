// rms_norm and layer_norm: each answer is the exact value, rounded once.
//
//   types     f16, bf16, f32, f64: answers of the same type. Integers and bools are taken as f64,
//             which must hold them
//   slices    along options.axes, the last axis for layers of transformers; a slice of no elements
//             has no answers
//   method    f64 numbers with a proven error bound in vectors, then pairs of f64, then integers;
//             an answer's bits depend on the slice, weight, bias and eps alone
//   values    NaN in a slice makes its answers NaN, and so does an infinity with layer_norm; with
//             rms_norm that is NaN, and finite elements are 0. 0 / 0, of equal elements without
//             eps, is NaN
//   not here  states, files
//   options   .axes, .threads, .target, .device, .stream
//   throws    bad_option, bad_axis, shape_mismatch, type_mismatch, no_backend
//   memory    of softmax (logsumexp.hpp), and 16 bytes for each element of a slice
#pragma once

#include "onefold/fold.hpp"

namespace onefold {

// What elements are multiplied by, and what is added to the product: arrays of the shape of the
// axes in .axes, of x's type; for f16 and bf16 also of f32. Null: 1, and 0.
struct NormScale {
  const ArrayRef* weight = nullptr;
  const ArrayRef* bias = nullptr;  // of layer_norm
  double eps = 1e-5;               // added to the mean square or the variance; not negative
};

// x w / sqrt(mean of x^2 + eps).
Answer rms_norm(const ArrayRef& x, const NormScale& scale = {}, const Options& options = {});
// (x - mean) w / sqrt(variance + eps) + b; the variance is the mean of (x - mean)^2.
Answer layer_norm(const ArrayRef& x, const NormScale& scale = {}, const Options& options = {});

// Write the answers to `out`, of x's type and shape; on a device, where all arrays are, the work is
// queued.
void rms_norm_into(const OutputRef& out, const ArrayRef& x, const NormScale& scale = {},
                   const Options& options = {});
void layer_norm_into(const OutputRef& out, const ArrayRef& x, const NormScale& scale = {},
                     const Options& options = {});

}  // namespace onefold
