// Finds the few words of a decimal sum that are not 0, and carries only those.
#pragma once

#include "onefold/core/exact/decimal.hpp"

namespace onefold {

// The range [first, end) from the lowest word that is not 0 to the highest; empty if all are 0.
struct UsedWords {
  int first = 0, end = 0;
};

inline UsedWords used_words(const int64_t* w) {
  constexpr int block = 8;
  const auto any = [w](int k) {
    return (w[k] | w[k + 1] | w[k + 2] | w[k + 3] | w[k + 4] | w[k + 5] | w[k + 6] | w[k + 7]) != 0;
  };
  UsedWords used{0, decimal::words};
  while (used.end >= block && !any(used.end - block)) used.end -= block;
  while (used.end > 0 && w[used.end - 1] == 0) --used.end;
  while (used.first + block <= used.end && !any(used.first)) used.first += block;
  while (used.first < used.end && w[used.first] == 0) ++used.first;
  return used;
}

// Does the same as decimal::carry() for all words.
inline void carry_decimals(int64_t* w) {
  const UsedWords used = used_words(w);
  if (used.first == used.end) return;
  const int top = used.end < decimal::words ? used.end : decimal::words - 1;  // takes the rest
  decimal::carry(w + used.first, top + 1 - used.first);
  if (w[top] < 0 || w[top] >= decimal::base) decimal::carry(w + top, decimal::words - top);
}

}  // namespace onefold
