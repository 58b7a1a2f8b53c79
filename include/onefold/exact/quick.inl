// Quick numbers: three f64 and an error bound, from which most answers can be rounded without exact
// words.
//
//   number   high + low + rest, give or take `lost`; exactly where lost is 0
//   sums     TwoSum adds the rounding error of an addition to the next word (Knuth; Ogita, Rump,
//            Oishi, SISC 26(6)); the error of the last word is added to `lost`
//   decide   both ends of the interval are rounded; where they agree, that is the answer, for
//            rounding is monotone. On the way to the last rounding sums are rounded to odd, which
//            keeps what decides a tie (Boldo, Melquiond, TC 57(4)): 1 + 2^-24 + 2^-149 is decided
//   gives up on infinities, NaN and overflow of an intermediate result: nothing is decided
//
// L says what a vector of numbers is: V, M and functions; one number (quick.hpp), or a vector of an
// instruction set, for which this text is included in its namespace. ONEFOLD_QUICK_FN stands before
// each function. No include guard.

// a + b = sum + rest, exactly, unless it overflows.
template <class L>
struct QuickPair {
  typename L::V sum, rest;
};
template <class L>
ONEFOLD_QUICK_FN QuickPair<L> two_sum(typename L::V a, typename L::V b) {
  const auto s = L::add(a, b), z = L::sub(s, a);
  return {s, L::add(L::sub(a, L::sub(s, z)), L::sub(b, z))};
}

// a + b rounded to odd: towards zero or away from it, to where the last bit is 1.
template <class L>
ONEFOLD_QUICK_FN typename L::V odd_sum(typename L::V a, typename L::V b) {
  const auto p = two_sum<L>(a, b);
  const auto exact = L::either(L::equal(p.rest, L::zero()), L::is_odd(p.sum));
  return L::select(exact, p.sum, L::step(p.sum, p.rest));
}
// a + b rounded up. Down: -(up(-a - b)).
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

  // Nothing: -0, for the sum of nothing but -0 is -0 and any other zero +0.
  ONEFOLD_QUICK_FN static Quick nothing() {
    return {L::set(-0.0), L::zero(), L::zero(), L::zero()};
  }
  ONEFOLD_QUICK_FN static Quick of(V exact) { return {exact, L::zero(), L::zero(), L::zero()}; }

  // After n < 2^32 additions `settle` makes a bound of what was lost.
  ONEFOLD_QUICK_FN void add(V x) {
    const auto a = two_sum<L>(high, x), b = two_sum<L>(low, a.rest), c = two_sum<L>(rest, b.rest);
    high = a.sum;
    low = b.sum;
    rest = c.sum;
    lost = L::add(lost, L::abs(c.rest));
  }
  ONEFOLD_QUICK_FN void add(const Quick& q) {
    // -0 takes nothing from the sign of a zero.
    const auto word = [](V w) { return L::select(L::equal(w, L::zero()), L::set(-0.0), w); };
    add(q.high);
    add(word(q.low));
    add(word(q.rest));
    lost = L::add(lost, q.lost);
  }
  // `lost` was summed with an error of 2^-53 for each of 2^32 additions at most.
  ONEFOLD_QUICK_FN void settle() { lost = L::mul(lost, L::set(1 + 0x1p-20)); }

  // The same number, each word at most half an ulp of the one before. A zero keeps its sign.
  ONEFOLD_QUICK_FN Quick normal() const {
    const auto b = two_sum<L>(low, rest), a = two_sum<L>(high, b.sum);
    const auto c = two_sum<L>(a.rest, b.rest);
    const auto d = two_sum<L>(a.sum, c.sum);
    return {L::select(single(), high, d.sum), d.rest, c.rest, lost};
  }
  // Whether it is `high`, exactly.
  ONEFOLD_QUICK_FN M single() const {
    const auto zero = L::zero();
    return L::both(L::both(L::equal(low, zero), L::equal(rest, zero)), L::equal(lost, zero));
  }

  // Rounds to T where that is certain: `decided` says where. The value is a T.
  template <class T>
  ONEFOLD_QUICK_FN V decide(M& decided) const {
    // The sum of three words as Boldo and Melquiond round it: x = high + (b + rest), each once.
    const auto b = two_sum<L>(low, rest), a = two_sum<L>(high, b.sum);
    const auto one = single();
    const V up = end<T>(a.sum, a.rest, sum_above<L>(b.rest, lost));
    const V down = end<T>(a.sum, a.rest, sum_below<L>(b.rest, L::negative(lost)));
    decided = L::both(L::less(L::abs(a.sum), L::infinity()), L::same(up, down));
    decided = L::both(decided, L::equal(up, up));
    // Words of 0 take no part in the sign of a zero.
    return L::select(one, L::template narrow<T>(high), up);
  }

  // This n times, n a whole number below 2^32.
  ONEFOLD_QUICK_FN Quick times(V n) const {
    const auto a = L::product(high, n), b = L::product(low, n), c = L::product(rest, n);
    const auto d = two_sum<L>(a.rest, b.sum), e = two_sum<L>(d.rest, b.rest),
               f = two_sum<L>(e.sum, c.sum);
    // -0 times n has a rest of +0, which takes no part in it.
    const V over = L::add(L::abs(e.rest), L::add(L::abs(f.rest), L::abs(c.rest)));
    return {a.sum, d.sum, f.sum, L::add(L::mul(lost, n), L::mul(over, L::set(1 + 0x1p-40)))};
  }

  // This / n, n a whole number below 2^53.
  ONEFOLD_QUICK_FN Quick over(V n) const {
    const Quick q = normal();
    // Remainders are exact: a multiple of the quotient's ulp, less than n of them.
    const V q1 = L::div(q.high, n);
    const auto t = two_sum<L>(L::residue(q.high, q1, n), q.low);
    const V q2 = L::div(t.sum, n), r2 = L::residue(t.sum, q2, n);
    const V left = L::add(r2, L::add(t.rest, q.rest)), q3 = L::div(left, n);
    const V wide = L::add(L::abs(r2), L::add(L::abs(t.rest), L::abs(q.rest)));
    const auto exact = L::both(L::equal(wide, L::zero()), L::equal(q.lost, L::zero()));
    // Three roundings of what is left, and one that may underflow.
    const V bound =
        L::add(L::mul(L::div(L::add(wide, L::mul(q.lost, L::set(0x1p50))), n), L::set(0x1.001p-50)),
               L::set(0x1p-1073));
    return {q1, q2, q3, L::select(exact, L::zero(), bound)};
  }

  // The square root of what is not negative.
  ONEFOLD_QUICK_FN Quick root() const {
    const Quick q = normal();
    const V r1 = L::sqrt(q.high), two = L::add(r1, r1);
    const auto t = two_sum<L>(L::residue(q.high, r1, r1), q.low);
    const V r2 = L::div(t.sum, two);
    // (r1 + r2)^2 leaves t - 2 r1 r2 - r2^2.
    const V left =
        L::add(L::sub(L::residue(t.sum, r2, two), L::mul(r2, r2)), L::add(t.rest, q.rest));
    const V r3 = L::div(left, two);
    const V small = L::add(L::mul(r2, r2), L::add(L::abs(t.rest), L::abs(q.rest)));
    // sqrt(x +- d) differs from sqrt(x) by at most d / sqrt(x). Twice as much as each rounding, and
    // as r3 (r2 + r3) / r1, leaves out, and what the smallest numbers lose, before the division by
    // r1 and after.
    const V wide = L::add(L::add(q.lost, L::set(0x1p-1070)),
                          L::mul(L::add(small, L::abs(t.sum)), L::set(0x1p-50)));
    const V bound = L::add(L::mul(L::div(wide, r1), L::set(1 + 0x1p-40)), L::set(0x1p-1071));
    const auto exact = L::both(L::both(L::equal(t.sum, L::zero()), L::equal(t.rest, L::zero())),
                               L::both(L::equal(q.rest, L::zero()), L::equal(q.lost, L::zero())));
    const auto zero = L::both(exact, L::equal(q.high, L::zero()));
    // Below 2^-700 residues have bits that no f64 holds.
    const auto sure = L::both(L::less(L::set(0x1p-700), q.high), L::less(q.lost, q.high));
    return {L::select(zero, L::zero(), L::select(sure, r1, L::infinity())),
            L::select(exact, L::zero(), r2), L::select(exact, L::zero(), r3),
            L::select(exact, L::zero(), bound)};
  }

  // factor (n Q - S^2), for sums S of n numbers and Q of their squares, with what S.rest and Q.rest
  // are taken as lost. n and factor: whole numbers below 2^32.
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
  // a + b + c, one end of the interval, as T; |b| is at most half an ulp of a.
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

// `sum` and, for a spread, the sum of squares about the same origin.
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
