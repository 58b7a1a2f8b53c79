// What saved words that no data can give have in common: whole numbers, in units of the type's
// smallest subnormal.
#pragma once

#include "api/state.hpp"
#include "plan/natural.hpp"

namespace onefold {

// Every |x| is at most this power of two.
template <class T>
constexpr int largest_bits() {
  constexpr DType t = dtype_of<T>;
  if (is_floating(t)) return value_bits<T>;
  if (kind_of(t) == Kind::boolean) return 0;
  return static_cast<int>(8 * bytes_of(t)) - (kind_of(t) == Kind::signed_integer ? 1 : 0);
}

// Takes what is counted from `left`; false: there are not so many.
inline bool take(Size& left, int64_t count) {
  if (count < 0 || static_cast<Size>(count) > left) return false;
  left -= static_cast<Size>(count);
  return true;
}

// As contradiction(), of what is held of two arrays.
const char* contradiction_of_pairs(const State::Impl&);

}  // namespace onefold
