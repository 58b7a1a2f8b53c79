// Rounds quotients and roots of quick numbers without divisions and exact words, but for ties and
// numbers near 0. Included inside the namespace of an instruction set, after lanes.inl; no include
// guard.

// Rounds a + b to T; `good` tells the lanes in which all of a + b +- lost has that rounding.
template <class T>
HWY_INLINE HWY_ATTR V round_near(V a, V b, V lost, hn::Mask<D>& good) {
  const V wide =
      hn::MulAdd(hn::Abs(b), hn::Set(d64, 0x1p-50), hn::Mul(lost, hn::Set(d64, 1 + 0x1p-30)));
  V up, down;
  if constexpr (sizeof(T) == 8) {
    up = hn::Add(a, hn::Add(b, wide));
    down = hn::Add(a, hn::Sub(b, wide));
  } else {
    const V all = hn::Add(hn::Add(wide, hn::Abs(b)), hn::Mul(hn::Abs(a), hn::Set(d64, 0x1p-51)));
    up = Lanes::narrow<T>(hn::Add(a, all));
    down = Lanes::narrow<T>(hn::Sub(a, all));
  }
  // Zeros that are equal may have two signs; an infinity stands for an unknown number.
  good = hn::And(hn::And(hn::Eq(up, down), hn::Ne(up, hn::Zero(d64))),
                 hn::Lt(hn::Abs(a), Lanes::infinity()));
  return up;
}

// Returns q / n as two words and a bound. The first one differs from it by at most 2 ulp, so its
// remainder is exact, and the second one has three roundings.
//   per   1 / n, rounded
//   good  the lanes in which no step leaves the range of f64
HWY_INLINE HWY_ATTR QuickV near_quotient(const QuickV& q, V n, V per, hn::Mask<D>& good) {
  const auto s = two_sum<Lanes>(q.high, q.low);
  const V rest = hn::Add(s.rest, q.rest), a = hn::Mul(s.sum, per);
  const V left = hn::Add(Lanes::residue(s.sum, a, n), rest);
  const V rounded = hn::Mul(hn::Add(hn::Abs(rest), hn::Abs(left)), hn::Set(d64, 0x1p-50));
  const V size = hn::Abs(a);
  good = hn::And(hn::Gt(size, hn::Set(d64, 0x1p-900)), hn::Lt(size, hn::Set(d64, 0x1p900)));
  return {a, hn::Mul(left, per), hn::Zero(d64), hn::Mul(hn::Add(rounded, q.lost), per)};
}

// Returns the root of a number of two words and a bound.
//   sqrt(a + b) = s + c - c^2 / 2s + ..., c = (a - s^2 + b) / 2s
//   good  the lanes in which b and the bound are small enough
HWY_INLINE HWY_ATTR QuickV near_root(const QuickV& q, hn::Mask<D>& good) {
  const V s = hn::Sqrt(q.high), each = hn::Div(hn::Set(d64, 0.5), s);
  const V c = hn::Mul(hn::Add(Lanes::residue(q.high, s, s), q.low), each);
  good = hn::Gt(hn::Mul(q.high, hn::Set(d64, 0x1p-20)), hn::Add(hn::Abs(q.low), q.lost));
  return {s, c, hn::Zero(d64),
          hn::MulAdd(hn::MulAdd(hn::Add(c, c), c, q.lost), each,
                     hn::Mul(hn::Abs(c), hn::Set(d64, 0x1p-50)))};
}

// Rounds q / n or its root.
template <class T>
HWY_INLINE HWY_ATTR V round_soon(const QuickV& q, V n, V per, bool root, hn::Mask<D>& good) {
  hn::Mask<D> usable, rooted, sure;
  QuickV r = near_quotient(q, n, per, usable);
  if (root) {
    r = near_root(r, rooted);
    usable = hn::And(usable, rooted);
  }
  const V v = round_near<T>(r.high, r.low, r.lost, sure);
  good = hn::And(usable, sure);
  return v;
}
