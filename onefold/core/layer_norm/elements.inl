// Elements of rms_norm and layer_norm from what is known of their row, with bounds of their errors,
// for a vector L (exponential/lane.hpp). Included after exponential/row_answers.inl and
// layer_norm/row.hpp; no include guard.
//
//   zeros   an element of rms_norm that is 0 has the sign of x w; one of layer_norm is +0

// Of types narrower than f64, by one f64. The bounds differ where nothing is proven.
template <class L, bool centred>
ONEFOLD_QUICK_FN Bounds<L> quick_normalized(typename L::V x, typename L::V w, typename L::V b,
                                            const NormRow& row) {
  using V = typename L::V;
  const V scale = L::mul(w, L::set(row.scale_high));
  V low, high, y;
  if constexpr (centred) {
    const V d = L::sub(x, L::set(row.pivot)), c = L::sub(d, L::set(row.mean_high));
    y = L::add(L::fused(c, scale, b), L::zero());
    const V of_row = L::fused(L::abs(d), L::set(row.slope()), L::set(row.offset()));
    const V lost = L::fused(L::abs(y), L::set(0x1p-51), L::mul(L::abs(w), of_row));
    low = L::sub(y, lost);
    high = L::add(y, lost);
  } else {
    y = L::mul(x, scale);
    low = L::mul(y, L::set(1 - (row.scale_error + 0x1p-49)));
    high = L::mul(y, L::set(1 + (row.scale_error + 0x1p-49)));
  }
  // Otherwise `low` is no finite number.
  return {low, L::select(L::less(L::abs(y), L::infinity()), high, L::set(2))};
}

// By pairs; `lost` is infinite where nothing is proven.
template <class L>
ONEFOLD_QUICK_FN PairElement<L> pair_normalized(typename L::V x, typename L::V w, typename L::V b,
                                                const NormRow& row, bool centred) {
  using V = typename L::V;
  const auto d = two_sum<L>(x, L::set(-row.pivot));
  const auto c = two_sum<L>(d.sum, L::set(-row.mean_high));
  const V c_low = L::add(c.rest, L::sub(d.rest, L::set(row.mean_low)));
  const V scale = L::set(row.scale_high);
  const auto s = L::product(w, scale);
  const V s_low = L::add(s.rest, L::mul(w, L::set(row.scale_low)));
  const auto p = L::product(c.sum, s.sum);
  const V p_low = L::add(p.rest, L::add(L::mul(c.sum, s_low), L::mul(c_low, s.sum)));
  const auto y = two_sum<L>(p.sum, b);
  const V low = L::add(y.rest, p_low);
  const V of_row = L::add(L::mul(L::add(L::abs(d.sum), L::set(OneLane::abs(row.mean_high))),
                                 L::set(row.scale_error + 0x1p-97)),
                          L::set(row.mean_error));
  // What products lose below the least f64 is multiplied by |c|, or added. Subnormal constants take
  // some processors 150 cycles.
  const V below = L::fused(L::abs(c.sum), L::set(0x1p-1010), L::set(0x1p-1000));
  const V rounded = L::mul(L::add(L::abs(y.sum), L::abs(p.sum)), L::set(0x1p-99));
  const V lost = L::add(L::mul(L::abs(s.sum), of_row), L::add(rounded, below));
  // Factors of zero are exact.
  const bool is_exact = row.mean_high == 0 && row.mean_error == 0;
  const auto none =
      L::either(L::equal(w, L::zero()), L::equal(d.sum, is_exact ? L::zero() : L::infinity()));
  const V zero = centred ? L::add(b, L::sub(w, w)) : L::mul(x, w);
  const V lost_of_zero = L::select(L::less(L::abs(zero), L::infinity()), L::zero(), L::infinity());
  const V all = L::add(L::abs(y.sum), L::add(L::abs(low), lost));
  const auto sure = L::less(all, L::infinity());
  return {L::select(none, zero, y.sum), L::select(none, L::zero(), low),
          L::select(none, lost_of_zero, L::select(sure, lost, L::infinity()))};
}
template <class L>
ONEFOLD_QUICK_FN Bounds<L> bounds_of_pair(const PairElement<L>& q) {
  const auto b = bounds_of<L>(q.high, q.low, q.lost);
  const auto sure = L::less(q.lost, L::infinity());
  const auto exact = L::equal(q.lost, L::zero());
  return {L::select(exact, q.high, L::select(sure, b.low, L::zero())),
          L::select(exact, q.high, L::select(sure, b.high, L::set(1)))};
}
