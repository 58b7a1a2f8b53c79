// Answers of exact sums as C++ numbers, rounded once.
#pragma once

#include "onefold/core/exact/digits.hpp"
#include "onefold/core/exact/real.hpp"
#include "onefold/core/single/refuse.hpp"
#include "onefold/core/sum_rules.hpp"

namespace onefold::detail {

template <bool first, class A, class B>
struct Choice {
  using type = A;
};
template <class A, class B>
struct Choice<false, A, B> {
  using type = B;
};
// The type of a sum: that of floats, int64_t of bools and signed integers, uint64_t of others.
template <class T>
using SumOf = typename Choice<
    Floating<T>, T,
    typename Choice<kind_of(dtype_of<T>) == Kind::unsigned_integer, uint64_t, int64_t>::type>::type;
// The type of a mean: that of floats, double of others.
template <class T>
using FractionOf = typename Choice<Floating<T>, T, double>::type;

// Rounds to U.
//   throws  Overflow: U is an integer type that cannot hold the value
template <class U>
ONEFOLD_FN constexpr U rounded(const Real& r) {
  static_assert(is_element<U> && dtype_of<U> != DType::boolean, "an answer is a number");
  const Rounded v = round(r, dtype_of<U>);
  if (v.status != Status::ok) refuse();
  return bit_cast<U>(static_cast<bits_of<U>>(v.bits));
}

// Returns the square root of a number; NaN below 0.
ONEFOLD_FN constexpr Real root_of(Real r) {
  const bool below = r.negative && (r.kind == Real::Kind::infinite || !r.numerator.zero());
  r.root = true;
  return below ? Real::nan() : r;
}

// A view of one sum, for the rules of sum_rules.hpp.
struct LimbView {
  struct Sum {
    Leading magnitude;
    bool negative;
  };
  const int64_t* words;
  int size, unit;
  NanPolicy nan = NanPolicy::propagate;

  ONEFOLD_FN constexpr Sum limbs(int) const {
    const auto d = find_digits(words, size);
    return {leading(d, unit), d.negative};
  }
};

}  // namespace onefold::detail
