// What NaN, infinities, zeros and missing elements make of a sum and of a mean
// (docs/numerics.md), for every view of sums: exact words, recipes (recipe.hpp), single/.
#pragma once

#include "onefold/core/exact/real.hpp"

namespace onefold {

// The number type that a formula returns for a view G: Real, or G::Number.
template <class G, class = void>
struct NumberOf {
  using type = Real;
};
template <class G>
struct NumberOf<G, decltype(void(static_cast<typename G::Number*>(nullptr)))> {
  using type = typename G::Number;
};
template <class G>
using RealOf = typename NumberOf<G>::type;

struct Tally {
  Size n = 0, nan = 0, positive_infinity = 0, negative_infinity = 0;
  Size invalid = 0;  // the number of products inf * 0
  bool all_negative_zero = false;
  ONEFOLD_FN constexpr bool infinite() const { return positive_infinity + negative_infinity != 0; }
};

// Whether accumulator A counts products inf * 0.
template <class A, class = void>
constexpr bool counts_invalid = false;
template <class A>
constexpr bool counts_invalid<A, decltype(void(A::invalid))> = true;

// Reads the counts of accumulator A, which is tally or dot. n counts those elements that count
// under the NaN policy.
template <class A, class Words>
ONEFOLD_FN constexpr Tally tally_of(const Words& w, NanPolicy nan) {
  const auto word = [&](int k) { return static_cast<Size>(static_cast<int64_t>(w[k])); };
  Tally t;
  t.n = word(A::n);
  t.nan = word(A::nan);
  t.positive_infinity = word(A::positive_infinity);
  t.negative_infinity = word(A::negative_infinity);
  if constexpr (counts_invalid<A>) t.invalid = word(A::invalid);
  if (nan == NanPolicy::omit) t.n -= t.nan;
  t.all_negative_zero = Floating<typename A::Element> && t.n > t.nan * (nan != NanPolicy::omit) &&
                        word(A::not_negative_zero) == 0;
  return t;
}

// Returns true if a NaN decides the answer, and sets `answer`.
template <class G>
ONEFOLD_FN constexpr bool settled_by_nan(const G& g, Size nan, RealOf<G>& answer) {
  using Real = RealOf<G>;
  if (nan == 0 || g.nan == NanPolicy::omit) return false;
  answer = g.nan == NanPolicy::raise ? Real::bad(Status::nan_found) : Real::nan();
  return true;
}

// Returns a sum as its tally says: NaN, an infinity, or the number in the limbs; -0 if all are -0.
//   limbs  names the sum for g.limbs, such as Accumulator::sum
template <class G, class A>
ONEFOLD_FN constexpr RealOf<G> signed_sum(const G& g, const Tally& t, A limbs) {
  using Real = RealOf<G>;
  Real r;
  if (settled_by_nan(g, t.nan, r)) return r;
  if (t.invalid != 0 || (t.positive_infinity != 0 && t.negative_infinity != 0)) return Real::nan();
  if (t.infinite()) return Real::infinity(t.negative_infinity != 0);
  if (t.all_negative_zero) return Real::zero(true);
  const auto s = g.limbs(limbs);
  r.numerator = s.magnitude;
  r.negative = s.negative;
  return r;
}

// Returns value / n; NaN if n = 0.
template <class R>
ONEFOLD_FN constexpr R divided_by(R value, Size n) {
  if (value.kind == Real::Kind::bad) return value;
  if (n == 0) return R::nan();
  value.n = n;
  return value;
}

}  // namespace onefold
