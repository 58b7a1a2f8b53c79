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

// Stores n <= summed_at_once elements, their bases and e^(x - base), with room for a vector behind
// them. A base that is no finite number is the element.
template <class L, class T>
ONEFOLD_QUICK_FN void terms_of(const T* x, Size n, const ExponentialTerms& to,
                               const PowerTables& tables) {
  using V = typename L::V;
  const V width = L::set(state_width), inverse = L::set(1 / state_width);
  const auto take = [&](int, Size i, V v) ONEFOLD_QUICK_ATTR {
    const V base = L::mul(L::floor(L::mul(v, inverse)), width);
    const auto d = two_sum<L>(v, L::negative(base));
    const auto e = pair_exp<L>(d.sum, d.rest, tables);
    L::store_all(v, to.x + i);
    L::store_all(base, to.base + i);
    L::store_all(e.sum, to.high + i);
    L::store_all(e.rest, to.low + i);
  };
  for_vectors<L>(x, n, 0, take, []() ONEFOLD_QUICK_ATTR {});
}

// kept: what pair_sum_of has stored of these elements; null: nothing.
template <class L>
ONEFOLD_QUICK_FN Bounds<L> element_of_f64(typename L::V v, const RowLog& row, bool log,
                                          const PowerTables& tables, const double* kept) {
  using V = typename L::V;
  const auto d = two_sum<L>(v, L::set(-row.greatest));
  if (log) return pair_logarithm<L>({d.sum, d.rest}, row);
  const V least = L::set(least_of_pairs);
  const auto far = L::less(d.sum, least);
  const QuickPair<L> e = kept != nullptr ? QuickPair<L>{L::load(kept), L::load(kept + kept_stride)}
                                         : pair_exp<L>(L::select(far, least, d.sum),
                                                       L::select(far, L::zero(), d.rest), tables);
  return pair_share<L>(d.sum, e, row);
}
// Of a type narrower than f64; kept: what quick_sum_of has stored.
template <class L>
ONEFOLD_QUICK_FN Bounds<L> quick_element(typename L::V v, const RowLog& row, bool log,
                                         const double* kept) {
  using V = typename L::V;
  const V d = L::sub(v, L::set(row.greatest)), least = L::set(-700);
  if (log) return quick_logarithm<L>(d, row);
  return quick_share<L>(
      kept != nullptr ? L::load(kept) : quick_exp<L>(L::select(L::less(d, least), least, d)), row);
}

// Writes the answers and returns whether all are proven; or, if `marks`, writes only which are.
template <class L, class T, bool marks>
ONEFOLD_QUICK_FN bool elements_of(const T* x, Size n, const RowLog& given, bool log,
                                  const PowerTables& tables, const double* kept, T* out,
                                  uint8_t* decided) {
  using V = typename L::V;
  const RowLog row = given;  // which the answers cannot change, so that it stays in registers
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
