// Packs panels of a product of matrices, and finds their facts. Included inside the namespace of an
// instruction set, after lanes.inl; no include guard.

// Copies elements whose vectors lie side by side in memory.
template <class T>
HWY_ATTR void pack_beside(const MatrixSide& m, const std::byte* from, Size n, Size width,
                          double* to) {
  for (Size k = 0; k < m.inner; ++k, from += m.inner_step, to += width) {
    const T* const x = reinterpret_cast<const T*>(from);
    for (Size v = 0; v < width; v += N) {
      const V all = v + N <= n ? load(x + v)
                    : v < n    ? load_some(x + v, n - v, hn::Zero(d64))
                               : hn::Zero(d64);
      hn::StoreU(all, d64, to + v);
    }
  }
}

// Copies vectors one after another.
template <class T>
HWY_ATTR void pack_apart(const MatrixSide& m, const std::byte* from, Size n, Size width,
                         double* to) {
  alignas(64) double some[N];
  for (Size v = 0; v < width; ++v) {
    double* at = to + v;
    if (v >= n) {
      for (Size k = 0; k < m.inner; ++k, at += width) *at = 0;
      continue;
    }
    const std::byte* x = from + static_cast<int64_t>(v) * m.step;
    for (Size k = 0; k < m.inner; k += N, x += static_cast<int64_t>(N) * m.inner_step) {
      const Size r = std::min<Size>(N, m.inner - k);
      hn::Store(load_apart<T>(x, m.inner_step, r, hn::Zero(d64)), d64, some);
      for (Size j = 0; j < r; ++j, at += width) *at = some[j];
    }
  }
}

HWY_ATTR void pack(DType t, const MatrixSide& m, Size first, Size width, double* to) {
  const std::byte* const from = m.data + static_cast<int64_t>(first) * m.step;
  const Size n = std::min(width, m.vectors - first);
  visit(t, [&]<class T>() {
    if constexpr (takes<T>) {
      if (m.step == static_cast<int64_t>(sizeof(T))) {
        pack_beside<T>(m, from, n, width, to);
      } else {
        pack_apart<T>(m, from, n, width, to);
      }
    }
  });
}

// Divides each lane's numbers by 2^power, where the greatest of them, `most`, is below 2^power.
// Returns the sums of their squares; NaN in a lane whose numbers are too different for that.
HWY_ATTR V scale_lanes(double* panel, Size width, Size inner, V most, int* power) {
  alignas(64) double lane[N], by[N], again[N];
  hn::Store(most, d64, lane);
  for (Size j = 0; j < N; ++j) {
    if (lane[j] != 0) std::frexp(lane[j], &power[j]);
    by[j] = power_of_two(-(power[j] / 2));
    again[j] = power_of_two(-(power[j] - power[j] / 2));
  }
  const V one = hn::Load(d64, by), two = hn::Load(d64, again), zero = hn::Zero(d64);
  auto lossy = hn::Lt(zero, zero);
  V square = zero;
  for (Size k = 0; k < inner; ++k, panel += width) {
    const V x = hn::LoadU(d64, panel), y = hn::Mul(hn::Mul(x, one), two);
    const auto small = hn::Lt(hn::Abs(y), hn::Set(d64, 0x1p-1022));
    lossy = hn::Or(lossy, hn::And(small, hn::Not(hn::Eq(x, zero))));
    square = hn::MulAdd(y, y, square);
    hn::StoreU(y, d64, panel);
  }
  return hn::IfThenElse(lossy, not_a_number(), square);
}

// Returns the sums of the squares of each lane's numbers, which are infinite or NaN if one of these
// is; or, if `scale`, of the numbers divided by a power of two.
HWY_ATTR V squares(double* panel, Size width, Size inner, bool scale, int* power) {
  V square = hn::Zero(d64), most = square, strange = square;
  for (Size j = 0; j < N; ++j) power[j] = 0;
  for (Size k = 0; k < inner && !scale; ++k) {
    const V x = hn::LoadU(d64, panel + k * width);
    square = hn::MulAdd(x, x, square);
  }
  if (!scale) return square;
  for (Size k = 0; k < inner; ++k) {
    const V x = hn::Abs(hn::LoadU(d64, panel + k * width));
    most = hn::Max(most, x);
    strange = hn::Add(strange, hn::Sub(x, x));
  }
  const V finite = hn::IfThenElseZero(hn::Eq(strange, strange), most);
  return hn::Add(strange, scale_lanes(panel, width, inner, finite, power));
}

HWY_ATTR void find_lanes(double* panel, Size width, Size inner, bool scale,
                         const VectorFacts& facts) {
  alignas(64) double unit[N];
  const V square = squares(panel, width, inner, scale, facts.power);
  // The sum has an error of at most 2^-53 for each element.
  const V norm = hn::Mul(hn::Sqrt(square), hn::Set(d64, 1 + 0x1p-20));
  const auto good = hn::Lt(square, Lanes::infinity());
  hn::StoreU(hn::IfThenElse(good, norm, Lanes::infinity()), d64, facts.norm);
  for (Size j = 0; j < N; ++j) {
    int e = 0;
    if (std::isfinite(facts.norm[j])) std::frexp(facts.norm[j], &e);
    unit[j] = std::ldexp(1.5, e - 26 + 52);  // adding it rounds to multiples of 2^(e - 26)
  }
  const V round = hn::Load(d64, unit);
  auto whole = good;
  for (Size k = 0; k < inner; ++k) {
    const V x = hn::LoadU(d64, panel + k * width);
    whole = hn::And(whole, hn::Eq(hn::Sub(hn::Add(x, round), round), x));
    if (hn::AllFalse(d64, whole)) break;
  }
  hn::StoreU(hn::IfThenElseZero(whole, hn::Set(d64, 1)), d64, facts.grid);
}

HWY_ATTR void find(double* panel, Size width, Size inner, bool scale, const VectorFacts& facts) {
  for (Size v = 0; v < width; v += N) {
    find_lanes(panel + v, width, inner, scale, {facts.norm + v, facts.grid + v, facts.power + v});
  }
}
