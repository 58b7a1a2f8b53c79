// Logarithms of sums of exponentials, and softmax: each answer is the exact value, rounded once.
//
//   types     f16, bf16, f32, f64: answers of the same type. Integers and bools are taken as f64,
//             which must hold them
//   method    f64 numbers with a proven error bound in vectors, then pairs of f64, then integers of
//             as many bits as it takes; an answer's bits depend on the elements alone
//   devices   floats of any strides with one distance between neighbouring elements of a slice
//   not here  states, files
//   options   .axes, .threads, .target, .device, .stream; of the first two functions also
//             .keepdims, .nan and, on the host, .where and .weights
//   weights   finite numbers of at least 0 that an f64 holds, of any type; they broadcast to x. An
//             element of weight 0 does not count
//   throws    bad_option, bad_axis, shape_mismatch, type_mismatch, no_backend
//   memory    each thread: copies of a slice whose elements are no neighbours in memory, are
//             selected by a mask, have weights (as f64, too), or are no floats; of 16 slices up to
//             2^18 elements
#pragma once

#include "onefold/fold.hpp"

namespace onefold {

// ln(sum of e^x) along axes, or ln(sum of w e^x). Of nothing, or of elements that are all -inf:
// -inf; +inf if an element is +inf. One element alone is its own answer.
Answer logsumexp(const ArrayRef& x, const Options& options = {});
// ln(sum of e^x / n), or ln(sum of w e^x / sum of w). Of nothing: NaN.
Answer logmeanexp(const ArrayRef& x, const Options& options = {});

// e^(x - L) and x - L of each element; L, the logsumexp of its slice along .axes, is not rounded.
// Where L is infinite the difference is that of IEEE arithmetic: NaN for infinities of one sign.
Answer softmax(const ArrayRef& x, const Options& options = {});
Answer log_softmax(const ArrayRef& x, const Options& options = {});

// Write the answers to `out`, as fold(request, outputs) does: on a device the work is queued.
void logsumexp_into(const OutputRef& out, const ArrayRef& x, const Options& options = {});
void logmeanexp_into(const OutputRef& out, const ArrayRef& x, const Options& options = {});
// Of x's type and shape; without statuses. On a device x and `out` are both there.
void softmax_into(const OutputRef& out, const ArrayRef& x, const Options& options = {});
void log_softmax_into(const OutputRef& out, const ArrayRef& x, const Options& options = {});

}  // namespace onefold
