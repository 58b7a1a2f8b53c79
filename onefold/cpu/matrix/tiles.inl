// Tiles of a product of matrices: adds products, and rounds entries. Included inside the namespace
// of an instruction set, after answers.inl; no include guard.

// With 32 registers 24 hold sums; with 16 registers 12 (SSE4, which needs one for products: 8).
constexpr int vectors = HWY_TARGET == HWY_SSE4 ? 2 : 3;
constexpr bool many_registers = HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON;
constexpr Size tile_rows = many_registers ? 8 : 4, tile_columns = vectors * N;
// Rows at a time where an entry has two words.
constexpr int pair_rows = many_registers ? 4 : 1;

template <TileSum what>
HWY_INLINE HWY_ATTR V factor_of(V x) {
  if constexpr (what == TileSum::nonzero) {
    return hn::IfThenZeroElse(hn::Eq(x, hn::Zero(d64)), hn::Set(d64, 1));
  }
  return x;
}

template <TileSum what>
HWY_ATTR void add_plain(const double* a, const double* b, Size n, double* tile) {
  V sum[tile_rows][vectors];
#pragma GCC unroll 8
  for (Size r = 0; r < tile_rows; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) sum[r][v] = hn::Zero(d64);
  }
  for (Size k = 0; k < n; ++k, a += tile_rows, b += tile_columns) {
    V column[vectors];
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) {
      column[v] = factor_of<what>(hn::LoadU(d64, b + static_cast<Size>(v) * N));
    }
#pragma GCC unroll 8
    for (Size r = 0; r < tile_rows; ++r) {
      const V row = factor_of<what>(hn::Set(d64, a[r]));
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v) sum[r][v] = hn::MulAdd(row, column[v], sum[r][v]);
    }
  }
#pragma GCC unroll 8
  for (Size r = 0; r < tile_rows; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) {
      double* const to = tile + r * tile_columns + static_cast<Size>(v) * N;
      hn::StoreU(hn::Add(hn::LoadU(d64, to), sum[r][v]), d64, to);
    }
  }
}

// Adds to sums of two words (Ogita, Rump, Oishi, SISC 26(6): Dot2).
HWY_ATTR void add_pair_rows(const double* a, const double* b, Size n, double* tile, double* low) {
  V sum[pair_rows][vectors], rest[pair_rows][vectors];
#pragma GCC unroll 4
  for (int r = 0; r < pair_rows; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) {
      const Size at = static_cast<Size>(r) * tile_columns + static_cast<Size>(v) * N;
      sum[r][v] = hn::LoadU(d64, tile + at);
      rest[r][v] = hn::LoadU(d64, low + at);
    }
  }
  for (Size k = 0; k < n; ++k, a += tile_rows, b += tile_columns) {
    V column[vectors];
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) column[v] = hn::LoadU(d64, b + static_cast<Size>(v) * N);
#pragma GCC unroll 4
    for (int r = 0; r < pair_rows; ++r) {
      const V row = hn::Set(d64, a[r]);
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v) {
        const auto product = Lanes::product(row, column[v]);
        const auto s = two_sum<Lanes>(sum[r][v], product.sum);
        sum[r][v] = s.sum;
        rest[r][v] = hn::Add(rest[r][v], hn::Add(s.rest, product.rest));
      }
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < pair_rows; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) {
      const Size at = static_cast<Size>(r) * tile_columns + static_cast<Size>(v) * N;
      hn::StoreU(sum[r][v], d64, tile + at);
      hn::StoreU(rest[r][v], d64, low + at);
    }
  }
}

HWY_ATTR void add(TileSum what, const double* a, const double* b, Size n, double* tile) {
  switch (what) {
    case TileSum::plain:
      return add_plain<TileSum::plain>(a, b, n, tile);
    case TileSum::nonzero:
      return add_plain<TileSum::nonzero>(a, b, n, tile);
    case TileSum::pairs:
      for (Size r = 0; r < tile_rows; r += pair_rows) {
        double* const to = tile + r * tile_columns;
        add_pair_rows(a + r, b, n, to, to + tile_rows * tile_columns);
      }
  }
}

// Multiplies by 2^power where that rounds nothing; other lanes leave `good`.
HWY_INLINE HWY_ATTR V scaled(V v, int power, const int* powers, hn::Mask<D>& good) {
  alignas(64) double by[N], again[N];
  for (Size j = 0; j < N; ++j) {
    const int e = std::clamp(power + powers[j], -2040, 2040);
    by[j] = power_of_two(e / 2);
    again[j] = power_of_two(e - e / 2);
  }
  v = hn::Mul(hn::Mul(v, hn::Load(d64, by)), hn::Load(d64, again));
  // 2^-1022 itself may be a smaller sum that was rounded twice.
  const V size = hn::Abs(v);
  good = hn::And(good,
                 hn::And(hn::Gt(size, hn::Set(d64, 0x1p-1022)), hn::Lt(size, Lanes::infinity())));
  return v;
}

// Marks entries that are decided, and those whose sum is 0. Returns how many are not decided.
HWY_INLINE HWY_ATTR Size mark_entries(hn::Mask<D> good, hn::Mask<D> none, Entry* entries) {
  if (HWY_LIKELY(hn::AllTrue(d64, good))) {
    std::memset(static_cast<void*>(entries), static_cast<int>(Entry::decided), N);
    return 0;
  }
  alignas(64) int64_t decided[N], zero[N];
  hn::Store(hn::VecFromMask(di64, hn::RebindMask(di64, good)), di64, decided);
  hn::Store(hn::VecFromMask(di64, hn::RebindMask(di64, none)), di64, zero);
  Size left = 0;
  for (Size j = 0; j < N; ++j) {
    entries[j] = decided[j] != 0 ? Entry::decided : zero[j] != 0 ? Entry::zero : Entry::open;
    left += decided[j] == 0;
  }
  return left;
}

// Rounds sums of one or two words to a type that is shorter than f64.
template <class T>
HWY_INLINE HWY_ATTR V round_short(V sum, V rest, bool pairs, V lost, hn::Mask<D>& good) {
  V v;
  if (pairs) {
    v = QuickV{sum, rest, hn::Zero(d64), lost}.template decide<T>(good);
  } else {
    // 2^-51 of the sum is more than the rounding of both ends, so these are beyond the error.
    const auto exact = hn::Eq(lost, hn::Zero(d64));
    const V more = hn::IfThenZeroElse(exact, hn::MulAdd(hn::Abs(sum), hn::Set(d64, 0x1p-51), lost));
    v = Lanes::narrow<T>(hn::Add(sum, more));
    good = Lanes::same(Lanes::narrow<T>(hn::Sub(sum, more)), v);
  }
  // Elements of these types have no infinite products, so such a sum is that of infinities.
  const auto finite = hn::Lt(hn::Abs(sum), Lanes::infinity());
  good = hn::Or(good, hn::Not(finite));
  return hn::IfThenElse(finite, v, hn::IfThenElse(hn::Eq(sum, sum), sum, not_a_number()));
}

template <class T>
HWY_ATTR Size decide_as(const double* tile, const double* low, const TileBounds& bounds, T* out,
                        Entry* entries) {
  Size open = 0;
  const V factor = hn::Set(d64, bounds.factor), zero = hn::Zero(d64);
  for (Size r = 0; r < tile_rows; ++r) {
    const V norm = hn::Set(d64, bounds.a.norm[r]), grid = hn::Set(d64, bounds.a.grid[r]);
    for (Size c = 0; c < tile_columns; c += N) {
      const Size at = r * tile_columns + c;
      const V sum = hn::LoadU(d64, tile + at),
              rest = low == nullptr ? zero : hn::LoadU(d64, low + at);
      V lost;
      if (bounds.lost != nullptr) {
        lost = hn::LoadU(d64, bounds.lost + at);
      } else {
        const V grids = hn::Mul(grid, hn::LoadU(d64, bounds.b.grid + c));
        lost = hn::Mul(factor, hn::Mul(norm, hn::LoadU(d64, bounds.b.norm + c)));
        lost = hn::IfThenZeroElse(hn::Eq(grids, hn::Set(d64, 1)), lost);
      }
      hn::Mask<D> good;
      V v;
      if constexpr (sizeof(T) < 8) {
        v = round_short<T>(sum, rest, low != nullptr, lost, good);
      } else {
        v = QuickV{sum, rest, zero, lost}.template decide<T>(good);
        v = scaled(v, bounds.a.power[r], bounds.b.power + c, good);
      }
      const auto none = hn::And(hn::Eq(sum, zero), hn::Eq(rest, zero));
      put<T>(v, reinterpret_cast<std::byte*>(out + at), N);
      open += mark_entries(hn::And(good, hn::Not(none)), none, entries + at);
    }
  }
  return open;
}

HWY_ATTR Size decide(DType t, const double* tile, const double* low, const TileBounds& bounds,
                     std::byte* out, Entry* entries) {
  return visit(t, [&]<class T>() -> Size {
    if constexpr (Floating<T> && takes<T>) {
      return decide_as<T>(tile, low, bounds, reinterpret_cast<T*>(out), entries);
    } else {
      return 0;
    }
  });
}
