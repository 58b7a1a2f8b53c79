// Windows: an f64 accumulator that takes the part of each element above a fixed unit, exactly.
//
//   method   a starts at M = 1.5 * 2^52 * unit; t = a + x; x -= t - a; a = t
//   exact    while a stays in [2^52, 2^53] units, where its ulp is the unit: t - a is x rounded to
//            the unit, and what is left in x is at most half a unit
//   several  windows W = 44 bits apart: the first takes |x| < 2^44 units, 128 times 2^44 = 2^51;
//            the next ones take at most half of that
//   flush    bits(a) - bits(M) is the sum in units, as an integer
//   source   facts/numerics.md; Collange, Defour, Graillat, Iakymchuk 2015 for the idea
//
// Included inside the namespace of an instruction set, after vocabulary.inl; no include guard.

constexpr int window_bits = 44;
// Four accumulators of 128 additions, 32 KB of f64 at 512 bits: what does not fit is read again
// from L1 or L2.
constexpr Size tile_vectors = 512;
constexpr Size tile_elements = tile_vectors * N;
// Windows whose first one takes |x| < 2^anchor. Below -900 the third unit would not be normal;
// above 1012 M would overflow.
constexpr int lowest_anchor = -900;
constexpr int highest_anchor = 1012;

constexpr double window_start(int anchor, int window) {
  return 1.5 * power_of_two(anchor + 52 - window_bits * (window + 1));
}

// 1 that the compiler does not know: fma with it is an addition on the multipliers' pipes. Two of
// three additions of a window on the adders and one on the multipliers is 10 % quicker in L2.
HWY_INLINE V opaque_one() {
  V one = hn::Set(d64, 1.0);
  asm("" : "+x"(one.raw));
  return one;
}

HWY_INLINE void into_window(V& a, V& x, [[maybe_unused]] V one) {
  const V t = hn::Add(a, x);
#if HWY_TARGET == HWY_SSE4  // no fma
  x = hn::Sub(x, hn::Sub(t, a));
#else
  x = hn::NegMulAdd(hn::Sub(t, a), one, x);
#endif
  a = t;
}

// The largest |x| of a tile. Without a 64-bit integer maximum a NaN may get lost: it is found in
// what the windows leave.
#if HWY_TARGET <= HWY_AVX3
using Top = VI;
HWY_INLINE Top no_top() { return hn::Zero(di64); }
HWY_INLINE Top higher(Top t, V x) {
  return hn::Max(t, hn::And(bits_of_vector(x), hn::Set(di64, int64_max)));
}
HWY_INLINE Top higher_of(Top a, Top b) { return hn::Max(a, b); }
HWY_INLINE uint64_t top_bits(Top t) {
  return static_cast<uint64_t>(hn::GetLane(hn::MaxOfLanes(di64, t)));
}
#else
using Top = V;
HWY_INLINE Top no_top() { return hn::Zero(d64); }
HWY_INLINE Top higher(Top t, V x) { return hn::Max(t, hn::Abs(x)); }
HWY_INLINE Top higher_of(Top a, Top b) { return hn::Max(a, b); }
HWY_INLINE uint64_t top_bits(Top t) {
  return bit_cast<uint64_t>(hn::GetLane(hn::MaxOfLanes(d64, t)));
}
#endif

// The least e with |x| < 2^e, from the bits of |x|; 1025 for infinities and NaN.
constexpr int exponent_above(uint64_t bits) {
  const auto e = static_cast<int>(bits >> 52);
  return (e == 0 ? 1 : e) - 1022;
}

// Where a tile's elements come from: vectors of N of them as f64, and their absolute values where
// the sum is one of those.
template <class T, bool absolute = false>
struct Elements {
  const T* x;

  HWY_INLINE V at(Size i) const {
    V v;
    if constexpr (sizeof(T) == 8) {
      v = hn::LoadU(d64, x + i);
    } else {
      v = hn::PromoteTo(d64, hn::LoadU(hn::Rebind<T, D>(), x + i));
    }
    return absolute ? hn::Abs(v) : v;
  }
  HWY_INLINE void fetch(Size i, Size n, std::size_t ahead = prefetch_ahead) const {
    prefetch(x + i, n * sizeof(T), ahead);
  }
};

// Sums in units of each window, an integer a lane.
struct WindowSums {
  VI s0, s1, s2;
};

// What the attempt to sum a tile in windows came to; nothing was added unless it is good.
struct TileResult {
  bool good;
  bool special;  // perhaps there are infinities or NaN
  uint64_t top;  // bits of the largest |x|, unless special
};

template <int windows>
struct WindowSet {
  V a, b, c;
  HWY_INLINE void open(V m0, V m1, V m2) {
    a = m0;
    b = m1;
    if constexpr (windows > 2) c = m2;
  }
  HWY_INLINE V take(V x, V one) {
    into_window(a, x, one);
    into_window(b, x, one);
    if constexpr (windows > 2) into_window(c, x, one);
    return x;
  }
};

// n: a multiple of 4 N, at most tile_elements.
template <int windows, class Source>
HWY_INLINE HWY_ATTR TileResult sum_tile(Source source, Size n, int anchor, WindowSums& sums) {
  const V m0 = hn::Set(d64, window_start(anchor, 0)), m1 = hn::Set(d64, window_start(anchor, 1)),
          m2 = hn::Set(d64, windows > 2 ? window_start(anchor, 2) : 0);
  const V one = opaque_one();
  WindowSet<windows> p0, p1, p2, p3;
  p0.open(m0, m1, m2);
  p1 = p2 = p3 = p0;
  V left0 = hn::Zero(d64), left1 = left0;
  Top top0 = no_top(), top1 = top0;
  for (Size i = 0; i < n; i += 4 * N) {
    source.fetch(i, 4 * N);
    const V x0 = source.at(i), x1 = source.at(i + N), x2 = source.at(i + 2 * N),
            x3 = source.at(i + 3 * N);
    top0 = higher(top0, x0);
    top1 = higher(top1, x1);
    left0 = hn::Or(left0, p0.take(x0, one));
    left1 = hn::Or(left1, p1.take(x1, one));
    top0 = higher(top0, x2);
    top1 = higher(top1, x3);
    left0 = hn::Or(left0, p2.take(x2, one));
    left1 = hn::Or(left1, p3.take(x3, one));
  }
  // Zeros of either sign may be left. Infinities and NaN leave NaN, as does a first window that
  // overflows.
  const V left = hn::Or(left0, left1);
  TileResult r{.top = top_bits(higher_of(top0, top1))};
  r.good = r.top < bit_cast<uint64_t>(power_of_two(anchor)) &&
           hn::AllTrue(d64, hn::Eq(left, hn::Zero(d64)));
  r.special = !hn::AllFalse(d64, hn::IsNaN(left));
  if (!r.good) return r;
  const auto units = [](V a, V b, V c, V e, V m) HWY_ATTR {
    return hn::Sub(hn::Add(hn::Add(bits_of_vector(a), bits_of_vector(b)),
                           hn::Add(bits_of_vector(c), bits_of_vector(e))),
                   hn::ShiftLeft<2>(bits_of_vector(m)));
  };
  sums.s0 = hn::Add(sums.s0, units(p0.a, p1.a, p2.a, p3.a, m0));
  sums.s1 = hn::Add(sums.s1, units(p0.b, p1.b, p2.b, p3.b, m1));
  if constexpr (windows > 2) sums.s2 = hn::Add(sums.s2, units(p0.c, p1.c, p2.c, p3.c, m2));
  return r;
}
