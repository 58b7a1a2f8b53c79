// Windows: f64 accumulators that add, without error, the part of each element above a fixed unit.
//
//   method   a starts at M = 1.5 * 2^52 * unit; t = a + x; x -= t - a; a = t
//   exact    while a stays in [2^52, 2^53] units, where its ulp is the unit: t - a is x rounded to
//            the unit, and the remainder in x is at most half a unit
//   several  windows are W = 44 bits apart: 128 times |x| < 2^44 units keep the first in its range;
//            the next ones take at most half of that
//   checks   if every t of the first window is in [2^52, 2^53] units, then |x| < 2^52 <= |a|, and
//            its steps were exact. If each x that came to the last window equals the t - a added
//            there, nothing remains. Both are tested by the bits that differ, one operation each
//            with AVX-512; maxima of |x| and of the remainder took two more of nine
//   flush    bits(a) - bits(M) is the sum in units, as an integer
//   source   docs/numerics.md; Collange, Defour, Graillat, Iakymchuk 2015 for the idea
//
// Included inside the namespace of an instruction set, after vocabulary.inl; no include guard.

constexpr int window_bits = 44;
// Four accumulators of 128 additions: 32 KB of f64 at 512 bits. Elements that do not fit are read
// again from L1 or L2.
constexpr Size tile_vectors = 512;
constexpr Size tile_elements = tile_vectors * N;
// Bounds of the anchor, below whose power of two all elements must lie. With less than -900 the
// third unit would not be normal; with more than 1012 M would overflow.
constexpr int lowest_anchor = -900;
constexpr int highest_anchor = 1012;

constexpr double window_start(int anchor, int window) {
  return 1.5 * power_of_two(anchor + 52 - window_bits * (window + 1));
}

// Returns 1, hidden from the compiler: fma with it is an addition on the multipliers' pipes. Doing
// one of a window's three additions there is 10 % quicker in L2.
HWY_INLINE V opaque_one() {
  V one = hn::Set(d64, 1.0);
  hide(one);
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

// Returns seen | (a ^ b).
HWY_INLINE VI see_difference(VI seen, V a, V b) {
#if HWY_TARGET <= HWY_AVX3
  seen.raw = _mm512_ternarylogic_epi64(seen.raw, _mm512_castpd_si512(a.raw),
                                       _mm512_castpd_si512(b.raw), 0xf6);
  return seen;
#else
  return hn::Or(seen, bits_of_vector(hn::Xor(a, b)));
#endif
}

// Returns the lane-wise maximum of `top` and |x|, as bits.
HWY_INLINE VI higher(VI top, V x) {
  return hn::Max(top, hn::And(bits_of_vector(x), hn::Set(di64, int64_max)));
}
HWY_INLINE uint64_t top_bits(VI top) {
  return static_cast<uint64_t>(hn::GetLane(hn::MaxOfLanes(di64, top)));
}

// Returns the least e with |x| < 2^e, given the bits of |x|; 1025 for infinities and NaN.
constexpr int exponent_above(uint64_t bits) {
  const auto e = static_cast<int>(bits >> 52);
  return (e == 0 ? 1 : e) - 1022;
}

// Reads a tile's elements as vectors of N f64, or their absolute values.
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

// Returns the bits of the largest |x|.
template <class Source>
HWY_NOINLINE HWY_ATTR uint64_t top_of(Source source, Size n) {
  VI top = hn::Zero(di64);
  for (Size i = 0; i < n; i += N) top = higher(top, source.at(i));
  return top_bits(top);
}

// Sums in units of each window, one integer per lane.
struct WindowSums {
  VI s0, s1, s2;
};

// What the steps have shown: `moved`, the bits in which the first window's t differed from M, and
// `left`, the bits in which the last window's input differed from what it added.
struct Steps {
  VI moved, left;

  HWY_INLINE void open() { moved = left = hn::Zero(di64); }
  // Returns whether all steps were exact. Zeros may differ in sign. Infinities and NaN change
  // `moved`.
  HWY_INLINE bool exact() const {
    const VI wrong =
        hn::Or(hn::And(moved, hn::Set(di64, ~((int64_t{1} << 52) - 1))), hn::ShiftLeft<1>(left));
    return hn::AllTrue(di64, hn::Eq(wrong, hn::Zero(di64)));
  }
};

template <int windows>
struct WindowSet {
  V a, b, c;
  HWY_INLINE void open(V m0, V m1, V m2) {
    a = m0;
    b = m1;
    if constexpr (windows > 2) c = m2;
  }
  HWY_INLINE void take(V x, V m0, V one, Steps& steps) {
    into_window(a, x, one);
    steps.moved = see_difference(steps.moved, a, m0);
    if constexpr (windows > 2) into_window(b, x, one);
    V& last = windows > 2 ? c : b;
#if HWY_TARGET == HWY_SSE4
    const V t = hn::Add(last, x);
#else
    const V t = hn::MulAdd(x, one, last);
#endif
    steps.left = see_difference(steps.left, x, hn::Sub(t, last));
    last = t;
  }
};

HWY_INLINE VI window_units(V a, V b, V c, V e, V m) {
  return hn::Sub(hn::Add(hn::Add(bits_of_vector(a), bits_of_vector(b)),
                         hn::Add(bits_of_vector(c), bits_of_vector(e))),
                 hn::ShiftLeft<2>(bits_of_vector(m)));
}

// Adds n elements, a multiple of 4 N and at most tile_elements. Returns false, and adds nothing, if
// the elements do not fit the windows.
template <int windows, class Source>
HWY_INLINE HWY_ATTR bool sum_tile(Source source, Size n, int anchor, WindowSums& sums) {
  const V m0 = hn::Set(d64, window_start(anchor, 0)), m1 = hn::Set(d64, window_start(anchor, 1)),
          m2 = hn::Set(d64, windows > 2 ? window_start(anchor, 2) : 0);
  const V one = opaque_one();
  WindowSet<windows> p0, p1, p2, p3;
  p0.open(m0, m1, m2);
  p1 = p2 = p3 = p0;
  Steps steps;
  steps.open();
  for (Size i = 0; i < n; i += 4 * N) {
    source.fetch(i, 4 * N);
    p0.take(source.at(i), m0, one, steps);
    p1.take(source.at(i + N), m0, one, steps);
    p2.take(source.at(i + 2 * N), m0, one, steps);
    p3.take(source.at(i + 3 * N), m0, one, steps);
  }
  if (!steps.exact()) return false;
  sums.s0 = hn::Add(sums.s0, window_units(p0.a, p1.a, p2.a, p3.a, m0));
  sums.s1 = hn::Add(sums.s1, window_units(p0.b, p1.b, p2.b, p3.b, m1));
  if constexpr (windows > 2) sums.s2 = hn::Add(sums.s2, window_units(p0.c, p1.c, p2.c, p3.c, m2));
  return true;
}
