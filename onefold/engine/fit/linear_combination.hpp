// Exact sums times factors, added up and rounded once: c1 S1 + c2 S2 + ..., or that over a count.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "onefold/states.hpp"

namespace onefold {

// A sum of each slice, times a product of finite numbers.
struct Summand {
  States sums;  // gathered for "sum" or "dot"; without slices: the sum is the slice's count
  std::vector<double> factors;
};

// What is known of a slice's elements.
enum class Sum : uint8_t {
  nonzero,
  zero,       // its sign is that of +0, whatever the elements' zeros are
  nonfinite,  // a NaN or an infinity is in a sum: the answer says nothing
};

struct LinearCombination {
  Answer answer;
  std::vector<Sum> kinds;
};

// Returns an answer for each slice, of shape `shape`.
//   counts   the number of elements of each slice
//   mean     divides by the count; NaN where that is 0
//   threads  as in Options
//   throws   shape_mismatch: the summands have other slices; bad_option: they hold no such sums
LinearCombination linear_combination(std::span<const Summand> summands,
                                     std::span<const int64_t> counts, const Dims& shape, bool mean,
                                     DType result, int threads);

}  // namespace onefold
