// A line of elements in memory without gaps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "onefold/engine/plan/decimal_terms.hpp"

namespace onefold::cpu_backend {

// Element i is at x + i * bytes, for those i that a fold reads.
struct Line {
  const std::byte* x = nullptr;
  const std::byte* y = nullptr;
  const std::byte* taken = nullptr;  // a byte for each element, 0: .where leaves it out; or null
  // Digits of elements that f64 cannot hold, by ascending element.
  std::span<const DecimalTerm> terms = {};
  Size first = 0;  // element whose index is `before`
  Size before = 0;

  Size index(Size i) const { return i - first + before; }
  bool has_terms(Size i) const {
    const auto at = std::ranges::lower_bound(terms, i, {}, &DecimalTerm::place);
    return at != terms.end() && at->place == i;
  }
  bool takes(Size i) const { return taken == nullptr || taken[i] != std::byte{0}; }
};

}  // namespace onefold::cpu_backend
