// Loops over a row's elements in vectors L, see kernels.hpp for what they return. Included after
// quick_exp.inl; no include guard.

// Elements that are added to 4 accumulators before these are added to a pair of f64. Then at most
// 259 additions in a chain each have an error of 2^-53.
constexpr Size summed_at_once = 1024;

// Calls f(k, i, v) with vectors v of elements from the i-th on, the last of which is filled with
// `fill`, and end_block() after each block. k is 0 to 3 in turn.
template <class L, class T, class F, class E>
ONEFOLD_QUICK_FN void for_vectors(const T* x, Size n, double fill, F&& f, E&& end_block) {
  for (Size begin = 0; begin < n; begin += summed_at_once) {
    const Size end = n - begin < summed_at_once ? n : begin + summed_at_once;
    Size i = begin;
    for (; i + 4 * L::lanes <= end; i += 4 * L::lanes) {
      f(0, i, L::load(x + i));
      f(1, i + L::lanes, L::load(x + i + L::lanes));
      f(2, i + 2 * L::lanes, L::load(x + i + 2 * L::lanes));
      f(3, i + 3 * L::lanes, L::load(x + i + 3 * L::lanes));
    }
    for (; i + L::lanes <= end; i += L::lanes) f(0, i, L::load(x + i));
    if (i < end) f(1, i, L::load_some(x + i, end - i, L::set(fill)));
    end_block();
  }
}

template <class L>
ONEFOLD_QUICK_FN double added_lanes(typename L::V v) {
  double lane[L::lanes];
  L::store_all(v, lane);
  double s = 0;
  for (Size k = 0; k < L::lanes; ++k) s += lane[k];
  return s;
}

template <class L, class T>
ONEFOLD_QUICK_FN double greatest_of(const T* x, Size n) {
  using V = typename L::V;
  V most[4];
  for (V& v : most) v = L::negative(L::infinity());
  const auto take = [&](int k, Size, V v) ONEFOLD_QUICK_ATTR {
    most[k] = L::select(L::less(most[k], v), v, most[k]);
  };
  for_vectors<L>(x, n, -std::numeric_limits<double>::infinity(), take, []() ONEFOLD_QUICK_ATTR {});
  for (int k = 1; k < 4; ++k) take(0, 0, most[k]);
  double lane[L::lanes];
  L::store_all(most[0], lane);
  return *std::max_element(lane, lane + L::lanes);
}

template <class L, class T>
ONEFOLD_QUICK_FN DoublePair direct_sum_of(const T* x, Size n) {
  using V = typename L::V;
  const V least = L::set(-700), most = L::set(700);
  V s[4];
  for (V& v : s) v = L::zero();
  DoublePair sum{0, 0};
  const auto take = [&](int k, Size, V v) ONEFOLD_QUICK_ATTR {
    v = L::select(L::less(v, least), least, v);
    v = L::select(L::less(most, v), most, v);
    s[k] = L::add(s[k], quick_exp<L>(v));
  };
  for_vectors<L>(x, n, -700, take, [&]() ONEFOLD_QUICK_ATTR {
    add_pair(sum, {added_lanes<L>(L::add(L::add(s[0], s[1]), L::add(s[2], s[3]))), 0});
    for (V& v : s) v = L::zero();
  });
  return sum;
}

// keeps: stores e^(x - greatest), for elements of softmax.
template <class L, class T, bool keeps>
ONEFOLD_QUICK_FN RowSum quick_sum_of(const T* x, Size n, double greatest, double* kept) {
  using V = typename L::V;
  const V least = L::set(-700), top = L::set(greatest), nowhere = L::negative(L::infinity());
  const V one = L::set(1);
  V s[4], count = L::zero();
  for (V& v : s) v = L::zero();
  RowSum sum;
  const auto take = [&](int k, [[maybe_unused]] Size i, V v) ONEFOLD_QUICK_ATTR {
    const auto is_top = L::equal(v, top);
    count = L::add(count, L::select(is_top, one, L::zero()));
    V d = L::sub(v, top);
    d = L::select(L::less(d, least), least, d);
    const auto none = L::either(is_top, L::equal(v, nowhere));
    const V e = quick_exp<L>(d);
    if constexpr (keeps) L::store_all(e, kept + i);
    s[k] = L::add(s[k], L::select(none, L::zero(), e));
  };
  for_vectors<L>(x, n, -std::numeric_limits<double>::infinity(), take, [&]() ONEFOLD_QUICK_ATTR {
    add_pair(sum.others, {added_lanes<L>(L::add(L::add(s[0], s[1]), L::add(s[2], s[3]))), 0});
    for (V& v : s) v = L::zero();
  });
  sum.at_greatest = added_lanes<L>(count);
  return sum;
}

template <class L, class T, bool keeps>
ONEFOLD_QUICK_FN RowSum pair_sum_of(const T* x, Size n, double greatest, double* kept,
                                    const PowerTables& tables) {
  using V = typename L::V;
  const V least = L::set(-700), top = L::set(greatest), nowhere = L::negative(L::infinity());
  const V one = L::set(1);
  V high = L::zero(), low = L::zero(), count = L::zero();
  RowSum sum;
  const auto take = [&](int, [[maybe_unused]] Size i, V v) ONEFOLD_QUICK_ATTR {
    const auto is_top = L::equal(v, top);
    count = L::add(count, L::select(is_top, one, L::zero()));
    const auto d = two_sum<L>(v, L::negative(top));
    const auto far = L::less(d.sum, least);
    const auto e =
        pair_exp<L>(L::select(far, least, d.sum), L::select(far, L::zero(), d.rest), tables);
    if constexpr (keeps) {
      L::store_all(e.sum, kept + i);
      L::store_all(e.rest, kept + kept_stride + i);
    }
    const auto none = L::either(is_top, L::equal(v, nowhere));
    const auto h = two_sum<L>(high, L::select(none, L::zero(), e.sum));
    high = h.sum;
    low = L::add(low, L::add(h.rest, L::select(none, L::zero(), e.rest)));
  };
  for_vectors<L>(x, n, -std::numeric_limits<double>::infinity(), take, [&]() ONEFOLD_QUICK_ATTR {
    double highs[L::lanes], lows[L::lanes];
    L::store_all(high, highs);
    L::store_all(low, lows);
    for (Size k = 0; k < L::lanes; ++k) add_pair(sum.others, {highs[k], lows[k]});
    high = low = L::zero();
  });
  sum.at_greatest = added_lanes<L>(count);
  return sum;
}

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

// kept: what pair_sum_of has stored of these elements; null: nothing.
template <class L>
ONEFOLD_QUICK_FN Bounds<L> element_of_f64(typename L::V v, const RowLog& row, bool log,
                                          const PowerTables& tables, const double* kept) {
  using V = typename L::V;
  const auto d = two_sum<L>(v, L::set(-row.greatest));
  if (log) {
    const V nowhere = L::negative(L::infinity());
    const auto q = pair_difference<L>(d, row);
    return selected<L>(L::equal(d.sum, nowhere), nowhere, bounds_of<L>(q.high, q.low, q.lost));
  }
  // Below -600 an answer or its error may be subnormal, below -746 it is zero.
  const V near = L::set(-600);
  const auto far = L::less(d.sum, near);
  const QuickPair<L> e = kept != nullptr ? QuickPair<L>{L::load(kept), L::load(kept + kept_stride)}
                                         : pair_exp<L>(L::select(far, near, d.sum),
                                                       L::select(far, L::zero(), d.rest), tables);
  const auto q = pair_quotient<L>(e, row);
  auto b = bounds_of<L>(q.high, q.low, q.lost);
  b.low = L::select(far, L::set(-1), b.low);  // not proven
  return selected<L>(L::less(d.sum, L::set(-746)), L::zero(), b);
}

// Returns an element of a type narrower than f64, by one f64. Where e^d is no zero of these types,
// |d| < 104: d, e^d and the sum's inverse have errors below 2^-46.3, 2^-50 and 2^-44.6.
template <class L>
ONEFOLD_QUICK_FN Bounds<L> quick_element(typename L::V v, const RowLog& row, bool log,
                                         const double* kept) {
  using V = typename L::V;
  const V d = L::sub(v, L::set(row.greatest));
  if (log) {
    const V w = L::sub(d, L::set(row.log_high));
    const V e = L::fused(L::abs(w), L::set(0x1p-51), L::set(row.quick_error));
    return selected<L>(L::equal(d, L::negative(L::infinity())), d, {L::sub(w, e), L::add(w, e)});
  }
  const V least = L::set(-700);
  const V w =
      kept != nullptr ? L::load(kept) : quick_exp<L>(L::select(L::less(d, least), least, d));
  return {L::mul(w, L::set(row.inverse_high * (1 - 0x1p-44))),
          L::mul(w, L::set(row.inverse_high * (1 + 0x1p-44)))};
}

// Writes the answers and returns whether all are proven; or, if `marks`, writes only which are.
template <class L, class T, bool marks>
ONEFOLD_QUICK_FN bool elements_of(const T* x, Size n, const RowLog& row, bool log,
                                  const PowerTables& tables, const double* kept, T* out,
                                  uint8_t* decided) {
  using V = typename L::V;
  bool all = true;
  for (Size i = 0; i < n; i += L::lanes) {
    const Size r = n - i < L::lanes ? n - i : L::lanes;
    const V v = r == L::lanes ? L::load(x + i) : L::load_some(x + i, r, L::set(row.greatest));
    Bounds<L> b;
    if constexpr (sizeof(T) == 8) {
      b = element_of_f64<L>(v, row, log, tables, kept == nullptr ? kept : kept + i);
    } else {
      b = quick_element<L>(v, row, log, kept == nullptr ? kept : kept + i);
    }
    if constexpr (marks) {
      L::mark(L::same(L::template narrow<T>(b.low), L::template narrow<T>(b.high)), decided + i, r);
    } else {
      all = L::store_same(b.low, b.high, out + i, r) && all;
    }
  }
  return all;
}
