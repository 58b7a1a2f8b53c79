// Elements of softmax and its logarithm from what is known of their row, with bounds of their
// errors. Included after logarithm.hpp and quick_exp.inl, for a vector L (lane.hpp); no include
// guard.

// An answer lies between both numbers. It is proven if they round to the same.
template <class L>
struct Bounds {
  typename L::V low, high;
};
template <class L>
ONEFOLD_QUICK_FN Bounds<L> bounds_of(typename L::V high, typename L::V low, typename L::V lost) {
  return {L::add(high, L::sub(low, lost)), L::add(high, L::add(low, lost))};
}
template <class L>
ONEFOLD_QUICK_FN Bounds<L> selected(typename L::M m, typename L::V exact, Bounds<L> b) {
  return {L::select(m, exact, b.low), L::select(m, exact, b.high)};
}

// An answer as high + low, with an error below `lost`.
template <class L>
struct PairElement {
  typename L::V high, low, lost;
};
// Of softmax; e is e^(x - greatest) of x >= greatest - 600.
template <class L>
ONEFOLD_QUICK_FN PairElement<L> pair_quotient(QuickPair<L> e, const RowLog& row) {
  using V = typename L::V;
  const V inverse = L::set(row.inverse_high), inverse_low = L::set(row.inverse_low);
  const auto p = L::product(e.sum, inverse);
  return {p.sum, L::add(p.rest, L::fused(e.sum, inverse_low, L::mul(e.rest, inverse))),
          L::mul(p.sum, L::set(row.quotient_error))};
}
// Of its logarithm; d is the element less the greatest one.
template <class L>
ONEFOLD_QUICK_FN PairElement<L> pair_difference(QuickPair<L> d, const RowLog& row) {
  const auto s = two_sum<L>(d.sum, L::set(-row.log_high));
  return {s.sum, L::add(s.rest, L::sub(d.rest, L::set(row.log_low))),
          L::fused(L::abs(s.sum), L::set(0x1p-100), L::set(row.pair_error))};
}

template <class L>
ONEFOLD_QUICK_FN Bounds<L> pair_logarithm(QuickPair<L> d, const RowLog& row) {
  const typename L::V nowhere = L::negative(L::infinity());
  const auto q = pair_difference<L>(d, row);
  return selected<L>(L::equal(d.sum, nowhere), nowhere, bounds_of<L>(q.high, q.low, q.lost));
}

// Where exponentials of pairs and their errors are normal; below, an answer or its error may be
// subnormal, and below far_below it is zero.
constexpr double least_of_pairs = -600, far_below = -746;
// Of softmax; e is e^d, or e^least_of_pairs of smaller d. `low` is -1 where nothing is proven.
template <class L>
ONEFOLD_QUICK_FN Bounds<L> pair_share(typename L::V d, QuickPair<L> e, const RowLog& row) {
  const auto q = pair_quotient<L>(e, row);
  auto b = bounds_of<L>(q.high, q.low, q.lost);
  b.low = L::select(L::less(d, L::set(least_of_pairs)), L::set(-1), b.low);
  return selected<L>(L::less(d, L::set(far_below)), L::zero(), b);
}

// Elements of types narrower than f64, by one f64. Where e^d is no zero of these types, |d| < 104:
// d, e^d and the sum's inverse have errors below 2^-46.3, 2^-50 and 2^-44.6.
template <class L>
ONEFOLD_QUICK_FN Bounds<L> quick_logarithm(typename L::V d, const RowLog& row) {
  using V = typename L::V;
  const V w = L::sub(d, L::set(row.log_high));
  const V e = L::fused(L::abs(w), L::set(0x1p-51), L::set(row.quick_error));
  return selected<L>(L::equal(d, L::negative(L::infinity())), d, {L::sub(w, e), L::add(w, e)});
}
//   e   e^d, or e^-700 of smaller d
template <class L>
ONEFOLD_QUICK_FN Bounds<L> quick_share(typename L::V e, const RowLog& row) {
  return {L::mul(e, L::set(row.inverse_high * (1 - 0x1p-44))),
          L::mul(e, L::set(row.inverse_high * (1 + 0x1p-44)))};
}
