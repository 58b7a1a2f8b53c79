// Quick numbers: three f64 and an error bound, from which most answers can be rounded without exact
// words.
//
//   number   high + low + rest, with an error of at most `lost`; exact if lost is 0
//   sums     TwoSum adds the rounding error of an addition to the next word (Knuth; Ogita, Rump,
//            Oishi, SISC 26(6)); the error of the last word is added to `lost`
//   decide   both ends of the interval are rounded; if they agree, that is the answer, because
//            rounding is monotone. Before the last rounding sums are rounded to odd, which
//            keeps what decides a tie (Boldo, Melquiond, TC 57(4)): 1 + 2^-24 + 2^-149 is decided
//   gives up for infinities, NaN and overflow of an intermediate result: nothing is decided
//
// L defines a vector of numbers: its types V and M, and functions. It is one number (quick.hpp), or
// a vector of an instruction set, which includes this file in its namespace. ONEFOLD_QUICK_FN
// stands before each function. So this file has no include guard.

// Returns a + b = sum + rest, exactly unless it overflows.
template <class L>
struct QuickPair {
  typename L::V sum, rest;
};
template <class L>
ONEFOLD_QUICK_FN QuickPair<L> two_sum(typename L::V a, typename L::V b) {
  const auto s = L::add(a, b), z = L::sub(s, a);
  return {s, L::add(L::sub(a, L::sub(s, z)), L::sub(b, z))};
}

// Returns a + b rounded to odd: if inexact, to that neighbour whose last bit is 1.
template <class L>
ONEFOLD_QUICK_FN typename L::V odd_sum(typename L::V a, typename L::V b) {
  const auto p = two_sum<L>(a, b);
  const auto exact = L::either(L::equal(p.rest, L::zero()), L::is_odd(p.sum));
  return L::select(exact, p.sum, L::step(p.sum, p.rest));
}
// Returns a + b rounded up. -(up(-a - b)) rounds a + b down.
template <class L>
ONEFOLD_QUICK_FN typename L::V sum_above(typename L::V a, typename L::V b) {
  const auto p = two_sum<L>(a, b);
  return L::select(L::less(L::zero(), p.rest), L::step(p.sum, p.rest), p.sum);
}
template <class L>
ONEFOLD_QUICK_FN typename L::V sum_below(typename L::V a, typename L::V b) {
  const auto p = two_sum<L>(a, b);
  return L::select(L::less(p.rest, L::zero()), L::step(p.sum, p.rest), p.sum);
}

template <class L>
struct Quick {
  using V = typename L::V;
  using M = typename L::M;
  V high, low, rest, lost;

  // Returns the sum of nothing: -0, which changes no number that it is added to, not even +0.
  ONEFOLD_QUICK_FN static Quick nothing() {
    return {L::set(-0.0), L::zero(), L::zero(), L::zero()};
  }
  ONEFOLD_QUICK_FN static Quick of(V exact) { return {exact, L::zero(), L::zero(), L::zero()}; }

  // Adds x. After n < 2^32 additions `settle` turns `lost` into an error bound.
  ONEFOLD_QUICK_FN void add(V x) {
    const auto a = two_sum<L>(high, x), b = two_sum<L>(low, a.rest), c = two_sum<L>(rest, b.rest);
    high = a.sum;
    low = b.sum;
    rest = c.sum;
    lost = L::add(lost, L::abs(c.rest));
  }
  ONEFOLD_QUICK_FN void add(const Quick& q) {
    // A word of 0 becomes -0, which does not change the sign of a zero.
    const auto word = [](V w) { return L::select(L::equal(w, L::zero()), L::set(-0.0), w); };
    add(q.high);
    add(word(q.low));
    add(word(q.rest));
    lost = L::add(lost, q.lost);
  }
  // Makes `lost` a bound: its own sum has an error of 2^-53 for each of at most 2^32 terms.
  ONEFOLD_QUICK_FN void settle() { lost = L::mul(lost, L::set(1 + 0x1p-20)); }

  // Returns the same number, each word at most half an ulp of the one before. Zero keeps its sign.
  ONEFOLD_QUICK_FN Quick normal() const {
    const auto b = two_sum<L>(low, rest), a = two_sum<L>(high, b.sum);
    const auto c = two_sum<L>(a.rest, b.rest);
    const auto d = two_sum<L>(a.sum, c.sum);
    return {L::select(single(), high, d.sum), d.rest, c.rest, lost};
  }
  // Returns whether `high` alone is the number, exactly.
  ONEFOLD_QUICK_FN M single() const {
    const auto zero = L::zero();
    return L::both(L::both(L::equal(low, zero), L::equal(rest, zero)), L::equal(lost, zero));
  }

  // Rounds to T; `decided` says for which lanes the result is proven. The value is a T.
  template <class T>
  ONEFOLD_QUICK_FN V decide(M& decided) const {
    // Sums three words as Boldo and Melquiond do: x = high + (b + rest), each sum rounded once.
    const auto b = two_sum<L>(low, rest), a = two_sum<L>(high, b.sum);
    const auto one = single();
    const V up = end<T>(a.sum, a.rest, sum_above<L>(b.rest, lost));
    const V down = end<T>(a.sum, a.rest, sum_below<L>(b.rest, L::negative(lost)));
    decided = L::both(L::less(L::abs(a.sum), L::infinity()), L::same(up, down));
    decided = L::both(decided, L::equal(up, up));
    // Words of 0 must not change the sign of a zero.
    return L::select(one, L::template narrow<T>(high), up);
  }

  // Returns n times this number, for an integer n below 2^32.
  ONEFOLD_QUICK_FN Quick times(V n) const {
    const auto a = L::product(high, n), b = L::product(low, n), c = L::product(rest, n);
    const auto d = two_sum<L>(a.rest, b.sum), e = two_sum<L>(d.rest, b.rest),
               f = two_sum<L>(e.sum, c.sum);
    // -0 times n has +0 as rest, which is left out here.
    const V over = L::add(L::abs(e.rest), L::add(L::abs(f.rest), L::abs(c.rest)));
    return {a.sum, d.sum, f.sum, L::add(L::mul(lost, n), L::mul(over, L::set(1 + 0x1p-40)))};
  }

  // Returns this number divided by n, an integer below 2^53.
  ONEFOLD_QUICK_FN Quick over(V n) const {
    const Quick q = normal();
    // Remainders are exact: each is a multiple of the quotient's ulp, and less than n of these.
    const V q1 = L::div(q.high, n);
    const auto t = two_sum<L>(L::residue(q.high, q1, n), q.low);
    const V q2 = L::div(t.sum, n), r2 = L::residue(t.sum, q2, n);
    const V left = L::add(r2, L::add(t.rest, q.rest)), q3 = L::div(left, n);
    const V wide = L::add(L::abs(r2), L::add(L::abs(t.rest), L::abs(q.rest)));
    const auto exact = L::both(L::equal(wide, L::zero()), L::equal(q.lost, L::zero()));
    // The bound covers three roundings of the remainder, and one that may underflow.
    const V bound =
        L::add(L::mul(L::div(L::add(wide, L::mul(q.lost, L::set(0x1p50))), n), L::set(0x1.001p-50)),
               L::set(0x1p-1073));
    return {q1, q2, q3, L::select(exact, L::zero(), bound)};
  }

  // Returns the square root of a number that is not negative.
  ONEFOLD_QUICK_FN Quick root() const {
    const Quick q = normal();
    const V r1 = L::sqrt(q.high), two = L::add(r1, r1);
    const auto t = two_sum<L>(L::residue(q.high, r1, r1), q.low);
    const V r2 = L::div(t.sum, two);
    // After (r1 + r2)^2 the remainder is t - 2 r1 r2 - r2^2.
    const V left =
        L::add(L::sub(L::residue(t.sum, r2, two), L::mul(r2, r2)), L::add(t.rest, q.rest));
    const V r3 = L::div(left, two);
    const V small = L::add(L::mul(r2, r2), L::add(L::abs(t.rest), L::abs(q.rest)));
    // sqrt(x +- d) differs from sqrt(x) by at most d / sqrt(x). The bound is twice the roundings
    // and the omitted r3 (r2 + r3) / r1, and adds what the smallest numbers lose before and after
    // the division by r1.
    const V wide = L::add(L::add(q.lost, L::set(0x1p-1070)),
                          L::mul(L::add(small, L::abs(t.sum)), L::set(0x1p-50)));
    const V bound = L::add(L::mul(L::div(wide, r1), L::set(1 + 0x1p-40)), L::set(0x1p-1071));
    const auto exact = L::both(L::both(L::equal(t.sum, L::zero()), L::equal(t.rest, L::zero())),
                               L::both(L::equal(q.rest, L::zero()), L::equal(q.lost, L::zero())));
    const auto zero = L::both(exact, L::equal(q.high, L::zero()));
    // Below 2^-700, remainders have bits that no f64 can hold.
    const auto sure = L::both(L::less(L::set(0x1p-700), q.high), L::less(q.lost, q.high));
    return {L::select(zero, L::zero(), L::select(sure, r1, L::infinity())),
            L::select(exact, L::zero(), r2), L::select(exact, L::zero(), r3),
            L::select(exact, L::zero(), bound)};
  }

  // Returns factor (n Q - S^2), for the sum S of n numbers and the sum Q of their squares. S.rest
  // and Q.rest count as lost. n and factor are integers below 2^32.
  ONEFOLD_QUICK_FN static Quick spread(const Quick& s, const Quick& q, V n, V factor) {
    const V up = L::set(1 + 0x1p-40);
    const auto nq = L::product(n, q.high), ss = L::product(s.high, s.high);
    const auto d = two_sum<L>(nq.sum, L::negative(ss.sum));
    const V nl = L::mul(n, q.low), sl = L::mul(L::add(s.high, s.high), s.low),
            l2 = L::mul(s.low, s.low);
    const V tail = L::add(L::sub(L::add(d.rest, nq.rest), ss.rest), L::sub(nl, L::add(sl, l2)));
    const V wide = L::add(L::add(L::abs(d.rest), L::add(L::abs(nq.rest), L::abs(ss.rest))),
                          L::add(L::abs(nl), L::add(L::abs(sl), l2)));
    const V ls = L::add(L::abs(s.rest), s.lost), lq = L::add(L::abs(q.rest), q.lost);
    const V size = L::add(L::add(L::abs(s.high), L::abs(s.low)), ls);
    const V given = L::add(L::mul(n, lq), L::mul(L::add(size, size), ls));
    const V rounded = L::add(L::mul(wide, L::set(0x1p-49)), L::set(0x1p-1040));
    const auto exact = L::equal(L::add(given, wide), L::zero());
    const V lost = L::select(exact, L::zero(), L::mul(L::add(given, rounded), up));
    const auto a = L::product(d.sum, factor);
    const V b = L::mul(tail, factor);
    return {a.sum, a.rest, b,
            L::mul(L::add(L::mul(lost, factor), L::mul(L::abs(b), L::set(0x1p-52))), up)};
  }

 private:
  // Rounds one end of the interval, a + b + c, to T; |b| is at most half an ulp of a.
  template <class T>
  ONEFOLD_QUICK_FN static V end(V a, V b, V c) {
    const V odd = odd_sum<L>(b, c);
    if constexpr (sizeof(T) == 8) {
      return L::add(a, odd);
    } else {
      return L::template narrow<T>(odd_sum<L>(a, odd));
    }
  }
};

// `sum`; for a spread, also the sum of squares about the same origin.
template <class L, QuickSteps steps = QuickSteps{}>
ONEFOLD_QUICK_FN Quick<L> quick_number(const QuickFormula& f, const Quick<L>& sum,
                                       const Quick<L>& squares) {
  const bool several = steps.times && f.times != 1;
  Quick<L> q = several ? sum.times(L::set(f.times)) : sum;
  if (steps.spread && f.spread) {
    const Quick<L> s = several ? squares.times(L::set(f.times)) : squares;
    q = Quick<L>::spread(q, s, L::set(f.elements), L::set(f.factor));
  }
  if (steps.quotient && f.n != 1) q = q.over(L::set(f.n));
  if (steps.second_quotient && f.left != 1) q = q.over(L::set(f.left));
  return steps.root && f.root ? q.root() : q;
}
