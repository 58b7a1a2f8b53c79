// Quotients of totals. Included inside the namespace of an instruction set, after lanes.inl; no
// include guard.

// a / b of normal numbers, in two words. usable: where that is right; exponents beyond 500 are not.
//   bound  what is left out of the two words is 2^-101 of the quotient: a.low, b.low and the first
//          residue are 2^-53 of theirs, and each step rounds by 2^-53, or by the smallest number.
//          The divisor is at least half of what is known of it
HWY_INLINE HWY_ATTR QuickV quotient(const QuickV& a, const QuickV& b, hn::Mask<D>& usable) {
  const V tiny = hn::Set(d64, 0x1p-500), huge = hn::Set(d64, 0x1p500), size = hn::Abs(b.high);
  const V q1 = hn::Div(a.high, b.high), q = hn::Abs(q1);
  const V left = hn::Add(Lanes::residue(a.high, q1, b.high), hn::NegMulAdd(q1, b.low, a.low));
  const V given = hn::MulAdd(q, b.lost, a.lost);
  const V bound = hn::Add(hn::Div(hn::Add(given, given), size), hn::Mul(q, hn::Set(d64, 0x1p-98)));
  const auto within = [&](V v) HWY_ATTR { return hn::And(hn::Lt(tiny, v), hn::Lt(v, huge)); };
  usable = hn::And(hn::And(within(hn::Abs(a.high)), within(size)),
                   hn::Lt(hn::Add(b.lost, b.lost), size));
  return {q1, hn::Div(left, b.high), hn::Zero(d64),
          hn::MulAdd(bound, hn::Set(d64, 1 + 0x1p-40), hn::Set(d64, 0x1p-1072))};
}
