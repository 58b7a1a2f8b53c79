// Panels in three words: nothing is lost but what `lost` says, whatever the exponents. Included
// inside the namespace of an instruction set, after lanes.inl; no include guard.

// One or two sums of what elements give, an answer or a part of one a lane.
template <Recipe::Name name>
struct Careful {
  static constexpr bool spread = name == Recipe::Name::spread;
  static constexpr bool squares = name == Recipe::Name::sumsq;
  static constexpr bool zeros = name == Recipe::Name::zeros;
  // What leaves a sum as it is.
  static constexpr double fill = zeros ? 1.0 : name == Recipe::Name::sum ? -0.0 : 0.0;
  QuickV q[spread ? 2 : 1];

  HWY_INLINE HWY_ATTR void open() {
    for (QuickV& v : q) v = QuickV::of(hn::Set(d64, zeros ? 0.0 : fill));
  }
  HWY_INLINE HWY_ATTR void take(V x) {
    if constexpr (spread || squares) {
      QuickV& to = q[spread ? 1 : 0];
      const auto p = Lanes::product(x, x);
      to.add(p.sum);
      to.add(p.rest);
      // Below 2^-900 a product may have bits below 2^-1074.
      const auto small =
          hn::And(hn::Lt(hn::Abs(x), hn::Set(d64, 0x1p-450)), hn::Ne(x, hn::Zero(d64)));
      to.lost = hn::Add(to.lost, hn::IfThenElseZero(small, hn::Set(d64, 0x1p-1072)));
      if constexpr (spread) q[0].add(x);
    } else if constexpr (zeros) {
      q[0].add(hn::IfThenElseZero(hn::Eq(x, hn::Zero(d64)), hn::Set(d64, 1.0)));
    } else {
      q[0].add(name == Recipe::Name::sumabs ? hn::Abs(x) : x);
    }
  }
  HWY_INLINE HWY_ATTR void store(Totals& t, Size at, std::size_t r) {
    for (QuickV& v : q) v.settle();
    put(q[0], t, Totals::high, at, r);
    if constexpr (spread) put(q[1], t, Totals::square, at, r);
  }
  HWY_INLINE HWY_ATTR static void put(const QuickV& v, Totals& t, int first, Size at,
                                      std::size_t r) {
    hn::StoreU(v.high, d64, t.word[first] + at);
    hn::StoreU(v.low, d64, t.word[first + 1] + at);
    hn::StoreU(v.rest, d64, t.word[first + 2] + at);
    hn::StoreU(v.lost, d64, t.word[first + 3] + at);
  }
};

// Vectors along a row, then all lanes of N rows at once.
template <class T, class C>
HWY_ATTR void careful_rows(const Panel& p, Totals& totals, Size a, std::size_t r) {
  constexpr std::size_t sums = sizeof(C::q) / sizeof(QuickV);
  alignas(64) double part[sums][4][N][N];
  const V fill = hn::Set(d64, C::fill);
  for (std::size_t k = 0; k < N; ++k) {
    const Size row = a + (k < r ? k : r - 1);
    const T* x = reinterpret_cast<const T*>(p.x + static_cast<int64_t>(row) * p.row);
    C c;
    c.open();
    Size i = 0;
    for (; i + N <= p.elements; i += N) c.take(load(x + i));
    if (i < p.elements) c.take(load_some(x + i, p.elements - i, fill));
    for (std::size_t s = 0; s < sums; ++s) {
      hn::Store(c.q[s].high, d64, part[s][0][k]);
      hn::Store(c.q[s].low, d64, part[s][1][k]);
      hn::Store(c.q[s].rest, d64, part[s][2][k]);
      hn::Store(c.q[s].lost, d64, part[s][3][k]);
    }
  }
  C total;
  total.open();
  for (std::size_t lane = 0; lane < N; ++lane) {
    for (std::size_t s = 0; s < sums; ++s) {
      const auto word = [&](int w) HWY_ATTR {
        alignas(64) double of_lane[N];
        for (std::size_t k = 0; k < N; ++k) of_lane[k] = part[s][w][k][lane];
        return hn::Load(d64, of_lane);
      };
      total.q[s].add(QuickV{word(0), word(1), word(2), word(3)});
    }
  }
  total.store(totals, a, r);
}

template <class T, Recipe::Name name>
HWY_ATTR bool careful(const Panel& p, Totals& totals) {
  using C = Careful<name>;
  constexpr uint32_t four = 15;
  totals.used = four << Totals::high | (C::spread ? four << Totals::square : 0);
  const bool along = p.element == static_cast<int64_t>(sizeof(T)) && p.elements >= N;
  for (Size a = 0; a < p.answers; a += N) {
    const std::size_t r = p.answers - a < N ? p.answers - a : N;
    if (along) {
      careful_rows<T, C>(p, totals, a, r);
      continue;
    }
    const V fill = hn::Set(d64, C::fill);
    C c;
    c.open();
    const std::byte* x = p.x + static_cast<int64_t>(a) * p.row;
    for (Size i = 0; i < p.elements; ++i) {
      c.take(load_apart<T>(x + static_cast<int64_t>(i) * p.element, p.row, r, fill));
    }
    c.store(totals, a, r);
  }
  return true;
}

// The elements of r answers from a on, as f64: answers as rows where elements are neighbours, else
// as columns.
template <class T>
HWY_NOINLINE HWY_ATTR Panel widened(const Panel& p, Size a, std::size_t r, double* to) {
  const V zero = hn::Zero(d64);
  const std::byte* const x = p.x + static_cast<int64_t>(a) * p.row;
  const auto* const from = reinterpret_cast<const std::byte*>(to);
  constexpr int64_t bytes = sizeof *to;
  if (p.element == static_cast<int64_t>(sizeof(T))) {
    const Size length = (p.elements + N - 1) / N * N;
    for (std::size_t k = 0; k < r; ++k) {
      const T* row = reinterpret_cast<const T*>(x + static_cast<int64_t>(k) * p.row);
      for (Size i = 0; i < p.elements; i += N) {
        const std::size_t m = p.elements - i < N ? p.elements - i : N;
        hn::Store(m == N ? load(row + i) : load_some(row + i, m, zero), d64, to + k * length + i);
      }
    }
    return {from, static_cast<int64_t>(length) * bytes, bytes, r, p.elements};
  }
  for (Size i = 0; i < p.elements; ++i) {
    const V v = load_apart<T>(x + static_cast<int64_t>(i) * p.element, p.row, r, zero);
    hn::Store(v, d64, to + i * N);
  }
  return {from, bytes, static_cast<int64_t>(N) * bytes, r, p.elements};
}

// By way of f64: where quick sums rarely fail, careful ones of each type would be half of all code.
template <class T, Recipe::Name name>
HWY_ATTR bool careful_widened(const Panel& p, Totals& totals) {
  alignas(64) double memory[N * panel_elements];
  for (Size a = 0; a < p.answers; a += N) {
    const std::size_t r = p.answers - a < N ? p.answers - a : N;
    Totals part = totals.at(a);
    careful<double, name>(widened<T>(p, a, r, memory), part);
    totals.used = part.used;
  }
  return true;
}

template <class T, bool absolute>
HWY_ATTR bool nonfinite(const Panel& p, Totals& totals) {
  totals.used = 1u << Totals::high;
  const V zero = hn::Zero(d64);
  // An infinity less 0, or NaN; else 0.
  const auto take = [](V sum, V x) HWY_ATTR {
    if (absolute) x = hn::Abs(x);
    return hn::Add(sum, hn::Sub(x, finite_of(x)));
  };
  double* const out = totals.word[Totals::high];
  const bool along = p.element == static_cast<int64_t>(sizeof(T)) && p.elements >= N;
  for (Size a = 0; along && a < p.answers; ++a) {
    const T* x = reinterpret_cast<const T*>(p.x + static_cast<int64_t>(a) * p.row);
    V sum = zero;
    Size i = 0;
    for (; i + N <= p.elements; i += N) sum = take(sum, load(x + i));
    if (i < p.elements) sum = take(sum, load_some(x + i, p.elements - i, zero));
    out[a] = hn::GetLane(hn::SumOfLanes(d64, sum));
  }
  for (Size a = 0; !along && a < p.answers; a += N) {
    const std::size_t r = p.answers - a < N ? p.answers - a : N;
    const std::byte* x = p.x + static_cast<int64_t>(a) * p.row;
    V sum = zero;
    for (Size i = 0; i < p.elements; ++i) {
      sum = take(sum, load_apart<T>(x + static_cast<int64_t>(i) * p.element, p.row, r, zero));
    }
    hn::StoreU(sum, d64, out + a);
  }
  return true;
}
