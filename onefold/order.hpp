// Statistics of the order of numbers, and how often they are: exact, and rounded once.
//
//   order    of values, -0 before +0
//   NaN      trimmed_mean, winsorized_mean: as .nan says. mode, nunique: one more value, above all
//            numbers, unless .nan omits it or raises
//   options  .axes, .keepdims, .nan, .where (bytes) and .threads, on the host
//   throws   bad_option, bad_axis, shape_mismatch, unsupported: before any work
//   memory   each thread: 8 bytes and a number for each element of a slice
#pragma once

#include "onefold/quantile.hpp"

namespace onefold {

// The mean without the floor(p n) least and as many greatest of n numbers, for p below 1/2; or with
// each of them replaced by its nearest number that stays. The type is that of mean; of no numbers:
// NaN.
//   throws  bad_option: p is 1/2 or more
Answer trimmed_mean(const ArrayRef& x, const QuantileLevel& p, const Options& options = {});
Answer winsorized_mean(const ArrayRef& x, const QuantileLevel& p, const Options& options = {});

// The number that is there most often, of several the least, in the type of x. -0 and +0 are one
// number, and the answer is +0. Of no numbers: status empty_input.
Answer mode(const ArrayRef& x, const Options& options = {});
// How many different numbers there are, as i64. -0 and +0 are one.
Answer nunique(const ArrayRef& x, const Options& options = {});

}  // namespace onefold
