// Loops of rms_norm and layer_norm over a row's elements in vectors L, see
// exponential/kernels.hpp for what they return. Included after exponential/row_loops.inl and
// layer_norm/elements.inl; no include guard.

template <class L, class T>
ONEFOLD_QUICK_FN Deviations quick_deviations_of(const T* x, Size n, double pivot) {
  using V = typename L::V;
  const V origin = L::set(pivot);
  V s[4], q[4];
  for (V& v : s) v = L::zero();
  for (V& v : q) v = L::zero();
  Deviations all;
  const auto take = [&](int k, Size, V v) ONEFOLD_QUICK_ATTR {
    const V d = L::sub(v, origin);
    s[k] = L::add(s[k], d);
    q[k] = L::fused(d, d, q[k]);
  };
  for_vectors<L>(x, n, pivot, take, [&]() ONEFOLD_QUICK_ATTR {
    const auto settle = [](V(&v)[4], DoublePair& to) ONEFOLD_QUICK_ATTR {
      add_pair(to, {added_lanes<L>(L::add(L::add(v[0], v[1]), L::add(v[2], v[3]))), 0});
      for (V& one : v) one = L::zero();
    };
    settle(s, all.sum);
    settle(q, all.squares);
  });
  return all;
}

template <class L>
struct LanePairs {
  typename L::V high, low;

  ONEFOLD_QUICK_FN void add(typename L::V v, typename L::V rest) {
    const auto s = two_sum<L>(high, v);
    high = s.sum;
    low = L::add(low, L::add(s.rest, rest));
  }
  ONEFOLD_QUICK_FN void settle(DoublePair& to) {
    double highs[L::lanes], lows[L::lanes];
    L::store_all(high, highs);
    L::store_all(low, lows);
    for (Size k = 0; k < L::lanes; ++k) add_pair(to, {highs[k], lows[k]});
    high = low = L::zero();
  }
};
template <class L, class T>
ONEFOLD_QUICK_FN Deviations pair_deviations_of(const T* x, Size n, double pivot) {
  using V = typename L::V;
  const V origin = L::set(-pivot);
  LanePairs<L> s{L::zero(), L::zero()}, q{L::zero(), L::zero()};
  Deviations all;
  const auto take = [&](int, Size, V v) ONEFOLD_QUICK_ATTR {
    const auto d = two_sum<L>(v, origin);
    s.add(d.sum, d.rest);
    const auto p = L::product(d.sum, d.sum);
    q.add(p.sum, L::fused(L::add(d.sum, d.sum), d.rest, p.rest));
  };
  for_vectors<L>(x, n, pivot, take, [&]() ONEFOLD_QUICK_ATTR {
    s.settle(all.sum);
    q.settle(all.squares);
  });
  return all;
}

// Writes the answers and returns whether all are proven; or, if `marks`, writes only which are.
//   w, b  null: 1, and 0. Readable for a vector beyond n
template <class L, class T, bool centred, bool marks>
ONEFOLD_QUICK_FN bool normalized_of(const T* x, Size n, const NormRow& given, const double* w,
                                    const double* b, T* out, uint8_t* decided) {
  using V = typename L::V;
  const NormRow row = given;  // which the answers cannot change, so that it stays in registers
  bool all = true;
  for (Size i = 0; i < n; i += L::lanes) {
    const Size r = n - i < L::lanes ? n - i : L::lanes;
    const V v = r == L::lanes ? L::load(x + i) : L::load_some(x + i, r, L::set(row.pivot));
    const V scale = w != nullptr ? L::load(w + i) : L::set(1);
    const V bias = b != nullptr ? L::load(b + i) : L::zero();
    Bounds<L> bounds;
    if constexpr (sizeof(T) == 8) {
      bounds = bounds_of_pair<L>(pair_normalized<L>(v, scale, bias, row, centred));
    } else {
      bounds = quick_normalized<L, centred>(v, scale, bias, row);
    }
    if constexpr (marks) {
      L::mark(L::same(L::template narrow<T>(bounds.low), L::template narrow<T>(bounds.high)),
              decided + i, r);
    } else {
      all = L::store_same(bounds.low, bounds.high, out + i, r) && all;
    }
  }
  return all;
}
