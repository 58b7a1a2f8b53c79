// What becomes of a sum, or of a spread: divided by n and by left, and the root of it.
#pragma once

namespace onefold {

struct QuickFormula {
  bool spread = false, root = false;
  double elements = 1, factor = 1, n = 1, left = 1;  // whole numbers below 2^53
  friend constexpr bool operator==(const QuickFormula&, const QuickFormula&) = default;
};

}  // namespace onefold
