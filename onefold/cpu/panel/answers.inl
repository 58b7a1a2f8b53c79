// Loads totals as vectors of quick numbers, and stores answers. Included inside the namespace of an
// instruction set, after lanes.inl; no include guard.

HWY_INLINE HWY_ATTR V word(const PanelTotals& t, int w, Size at, std::size_t r) {
  if (!t.has(static_cast<PanelTotals::Word>(w))) return hn::Zero(d64);
  const double* p = t.word[w] + at;
  return HWY_LIKELY(r == N) ? hn::LoadU(d64, p) : load_some(p, r, hn::Zero(d64));
}
HWY_INLINE HWY_ATTR QuickV number(const PanelTotals& t, int first, Size at, std::size_t r) {
  return {word(t, first, at, r), word(t, first + 1, at, r), word(t, first + 2, at, r),
          word(t, first + 3, at, r)};
}

// Of AnswerCounts.
HWY_INLINE HWY_ATTR V count_at(const double* counts, Size at, std::size_t r) {
  return HWY_LIKELY(r == N) ? hn::LoadU(d64, counts + at)
                            : load_some(counts + at, r, hn::Set(d64, 1));
}

template <class T>
HWY_INLINE HWY_ATTR void put(V v, std::byte* out, std::size_t r) {
  alignas(64) T lane[N];
  T* const to = HWY_LIKELY(r == N) ? reinterpret_cast<T*>(out) : lane;
  if constexpr (sizeof(T) == 8) {
    hn::StoreU(v, d64, to);
  } else {
    const hn::Rebind<float, D> f;
    const auto x = hn::DemoteTo(f, v);
    if constexpr (sizeof(T) == 4) {
      hn::StoreU(x, f, to);
    } else {
      const hn::Rebind<uint16_t, D> half;
      auto* const bits = reinterpret_cast<uint16_t*>(to);
      if constexpr (std::is_same_v<T, float16>) {
        hn::StoreU(hn::BitCast(half, hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), x)), half, bits);
      } else {
        const hn::Rebind<uint32_t, D> u;
        hn::StoreU(hn::DemoteTo(half, hn::BitCast(hn::Rebind<int32_t, D>(),
                                                  hn::ShiftRight<16>(hn::BitCast(u, x)))),
                   half, bits);
      }
    }
  }
  if (HWY_UNLIKELY(r != N)) std::memcpy(out, lane, r * sizeof(T));
}

HWY_INLINE HWY_ATTR Size mark(hn::Mask<D> decided, uint8_t* to, std::size_t r) {
  if (HWY_LIKELY(r == N && hn::AllTrue(d64, decided))) {
    std::memset(to, 1, N);
    return N;
  }
  alignas(64) int64_t lane[N];
  hn::Store(hn::VecFromMask(di64, hn::RebindMask(di64, decided)), di64, lane);
  Size n = 0;
  for (std::size_t k = 0; k < r; ++k) {
    to[k] = lane[k] != 0;
    n += to[k];
  }
  return n;
}
