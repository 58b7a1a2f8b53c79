// Sums of f16 and bf16, and of their absolute values.
//
//   AVX-512  uses integers (exact/fixed_point.inl); windows take only the data that do not fit them
//   fast     f32 windows (exact/window.inl explains them): for |x| < 2^anchor the first adds the
//            part above 2^(anchor - 15); the last is a plain sum of the remainders
//   exact    for 128 additions: 2^(anchor + 7) is 2^22 units of the first window. It leaves at most
//            2^(anchor - 16) per element, and 256 of these are 2^(anchor - 8). So 24 bits reach
//            down to 2^(anchor - 32), of which elements must be multiples; with a third window down
//            to 2^(anchor - 48)
//   why      no f64: two conversions of 16 numbers cost more than the window (Zen 4, L2: 20 GB/s by
//            plain f64 sums)
//   f16      every element is a multiple of 2^-24: two windows if |x| < 2^8, else three
//   bf16     depends on the tile's range; beyond 48 bits: exact/counted_bins.inl
//   special  infinities and NaN are counted and left out of the sum

#include "onefold/cpu/exact/counted_bins.inl"
#include "onefold/cpu/exact/range.inl"
#include "onefold/cpu/exact/special_counts.inl"
#include "onefold/cpu/exact/tiers.inl"

#include "onefold/cpu/exact/sum_feed.inl"

template <class T, bool of_absolute>
class Sum16 {
 public:
  using Element = T;
  static constexpr bool absolute = of_absolute;
  // A tile goes to 4 accumulators of 2 N lanes, each of which adds 128 vectors.
  static constexpr Size tile = 1024 * N, step = 8 * N;

  HWY_ATTR void open(int64_t* limb) {
    limb_ = limb;
    tiles_ = 0;
    anchor_ = 5;
    clear();
    if constexpr (has_bins) bins_.open();
  }

  HWY_ATTR int add(const T* x, Size n, int tier) {
    const Extent e = tier == 0 ? sum_tile<2>(x, n) : sum_tile<3>(x, n);
    if (HWY_UNLIKELY(e.special)) return special;
    return HWY_LIKELY(fits(e, tier + 2)) ? tier : add_misfit(x, n, tier, e);
  }
  bool add_any(const T* x, Size n) {
    if constexpr (has_bins) return bins_.add(x, n);
    return false;
  }

  HWY_ATTR void close() {
    spill();
    if constexpr (has_bins) bins_.spill(absolute ? nullptr : limb_, absolute ? limb_ : nullptr);
  }

 private:
  static constexpr bool has_bins = std::is_same_v<T, bfloat16>;
  static constexpr int unit = accumulator::sum<T>::unit;
  static constexpr int tiles_per_spill = 16;
  // Bounds between which the constants of all windows are f32; bins take the other tiles.
  static constexpr int lowest_anchor = -70, highest_anchor = 118;

  using F = hn::ScalableTag<float>;
  using I = hn::RebindToSigned<F>;
  using U16 = hn::ScalableTag<uint16_t>;
  using VF = hn::Vec<F>;
  using VI32 = hn::Vec<I>;
  static constexpr float f32_power(int e) { return static_cast<float>(power_of_two(e)); }

  // How many bits below the anchor two or three windows reach.
  static constexpr int reach(int windows) { return windows == 2 ? 32 : 48; }
  int anchor(int windows) const { return has_bins ? anchor_ : windows == 2 ? 8 : 16; }
  bool fits(const Extent& e, int windows) const {
    return e.zero || (e.above <= anchor(windows) && e.unit >= anchor(windows) - reach(windows));
  }

  HWY_NOINLINE HWY_ATTR int add_misfit(const T* x, Size n, int tier, const Extent& e) {
    if (tier == 0 && place(e, 2)) {
      sum_tile<2>(x, n);
      return 0;
    }
    if (place(e, 3)) {
      sum_tile<3>(x, n);
      return 1;
    }
    if constexpr (has_bins) bins_.add(x, n);
    return to_bins;
  }

  // Moves the anchor so that the tile fits, with two spare bits above if possible.
  HWY_ATTR bool place(const Extent& e, int windows) {
    if (!has_bins) return fits(e, windows);
    int to = e.above + 2;
    if (to > e.unit + reach(windows)) to = e.unit + reach(windows);
    if (to < lowest_anchor) to = lowest_anchor;
    if (to < e.above || to > highest_anchor || e.unit < to - reach(windows)) return false;
    if (to != anchor_) {
      spill();
      anchor_ = to;
    }
    return true;
  }

  HWY_INLINE static void into(VF& a, VF& x, [[maybe_unused]] VF one) {
    const VF t = hn::Add(a, x);
#if HWY_TARGET == HWY_SSE4  // no fma
    x = hn::Sub(x, hn::Sub(t, a));
#else
    x = hn::NegMulAdd(hn::Sub(t, a), one, x);
#endif
    a = t;
  }
  // Adds by an fma if the adders also have conversions or a third window to do: 7 % of f16.
  template <int windows>
  HWY_INLINE static VF onto(VF sum, VF x, [[maybe_unused]] VF one) {
#if HWY_TARGET != HWY_SSE4
    if (!has_bins || windows == 3) return hn::MulAdd(x, one, sum);
#endif
    return hn::Add(sum, x);
  }
  // Two accumulators share the last sum, since there are only 16 registers.
  template <int windows>
  struct Windows {
    VF a0, a1, b0, b1, last;
    HWY_INLINE void take(VF x, VF y, VF one) {
      into(a0, x, one);
      into(a1, y, one);
      if constexpr (windows == 3) into(b0, x, one);
      if constexpr (windows == 3) into(b1, y, one);
      last = onto<windows>(last, x, one);
      last = onto<windows>(last, y, one);
    }
  };

  // Loads 4 N elements as two vectors, in any order.
  struct Two {
    VF v, w;
  };
  HWY_INLINE HWY_ATTR static Two load(const T* x, hn::Vec<U16> bits) {
    const F f;
    if constexpr (std::is_same_v<T, bfloat16>) {
      if (absolute) bits = hn::And(bits, hn::Set(U16(), 0x7fff));
      const hn::RebindToUnsigned<F> u;
      const auto both = hn::BitCast(u, bits);
      return {hn::BitCast(f, hn::ShiftLeft<16>(both)),
              hn::BitCast(f, hn::And(both, hn::Set(u, 0xffff0000u)))};
    } else {
      const hn::Rebind<hwy::float16_t, F> h;
      const auto* p = reinterpret_cast<const hwy::float16_t*>(x);
      const VF v = hn::PromoteTo(f, hn::LoadU(h, p)), w = hn::PromoteTo(f, hn::LoadU(h, p + 2 * N));
      if (absolute) return {hn::Abs(v), hn::Abs(w)};
      return {v, w};
    }
  }

  // Adds the tile to the sums if it fits. n: a multiple of 8 N.
  template <int windows>
  HWY_INLINE HWY_ATTR Extent sum_tile(const T* x, Size n) {
    const F f;
    const I i32;
    const int top = anchor(windows);
    const VF m0 = hn::Set(f, 1.5f * f32_power(top + 8)), m1 = hn::Set(f, 1.5f * f32_power(top - 8));
    VF one = hn::Set(f, 1.0f);
    hide(one);
    Windows<windows> p{m0, m0, m1, m1, hn::Zero(f)}, q = p;
    Range<T> r;
    r.open();
    for (Size i = 0; i < n; i += 8 * N) {
      prefetch(x + i, 16 * N);
      const auto u0 = Range<T>::load(x + i), u1 = Range<T>::load(x + i + 4 * N);
      r.see(u0);
      r.see(u1);
      const Two v = load(x + i, u0), w = load(x + i + 4 * N, u1);
      p.take(v.v, v.w, one);
      q.take(w.v, w.w, one);
    }
    Extent e = extent_of(r);
    if constexpr (!has_bins) e.unit = unit;
    if (HWY_UNLIKELY(e.special || !fits(e, windows))) return e;
    const auto units = [&](VF a, VF b, VF c, VF d, VF m) HWY_ATTR {
      const auto i = [&](VF v) HWY_ATTR { return hn::BitCast(i32, v); };
      return hn::Sub(hn::Add(hn::Add(i(a), i(b)), hn::Add(i(c), i(d))), hn::ShiftLeft<2>(i(m)));
    };
    SumsByWindow& s = windows == 2 ? two_ : three_;
    s.first = hn::Add(s.first, units(p.a0, p.a1, q.a0, q.a1, m0));
    if (windows == 3) s.middle = hn::Add(s.middle, units(p.b0, p.b1, q.b0, q.b1, m1));
    const VF scale = hn::Set(f, f32_power(reach(windows) - top));
    const auto whole = [&](VF v) HWY_ATTR { return hn::ConvertTo(i32, hn::Mul(v, scale)); };
    s.last = hn::Add(s.last, hn::Add(whole(p.last), whole(q.last)));
    if (++tiles_ == tiles_per_spill) spill();
    return e;
  }

  // The sums of each window, in its own unit.
  struct SumsByWindow {
    VI32 first, middle, last;
  };

  HWY_ATTR void clear() {
    const VI32 zero = hn::Zero(I());
    two_ = three_ = {zero, zero, zero};
  }

  // Adds the sums to the words. A tile adds at most 2^25 units per lane: 2^29 after 16 tiles.
  HWY_ATTR void spill() {
    if (tiles_ == 0) return;
    const auto add = [this](VI32 v, int exponent) HWY_ATTR {
      alignas(64) int32_t lane[2 * N];
      hn::Store(v, I(), lane);
      int64_t sum = 0;
      for (const int32_t k : lane) sum += k;
      add_to_limbs(limb_, unit, sum, exponent);
    };
    add(two_.first, anchor(2) - 15);
    add(two_.last, anchor(2) - reach(2));
    add(three_.first, anchor(3) - 15);
    add(three_.middle, anchor(3) - 31);
    add(three_.last, anchor(3) - reach(3));
    clear();
    tiles_ = 0;
  }

  SumsByWindow two_, three_;
  struct NoBins {};
  std::conditional_t<has_bins, CountedBins<bfloat16>, NoBins> bins_;
  int64_t* limb_;
  int anchor_;
  int tiles_;  // since the last spill
};

#if HWY_TARGET <= HWY_AVX3
#include "onefold/cpu/exact/fixed_point.inl"
#endif

// Picoseconds from L2, Zen 4.
template <class T, bool absolute>
void add_feed(std::vector<Feed>& table, const char* name, Accumulator a,
              [[maybe_unused]] int wide) {
#if HWY_TARGET <= HWY_AVX3
  constexpr unsigned parts = absolute ? fixed_absolute : fixed_sum;
  table.push_back(make_feed<InFixedPoint<T, parts, SumFeed<Sum16<T, absolute>>>>(
      name, a | Accumulator::tally, wide));
#else
  table.push_back(make_feed<SumFeed<Sum16<T, absolute>>>(name, a | Accumulator::tally, 75));
#endif
}
void add_feeds(std::vector<Feed>& table) {
  add_feed<float16, false>(table, "sum f16", Accumulator::sum, 33);
  add_feed<float16, true>(table, "sumabs f16", Accumulator::sumabs, 33);
  add_feed<bfloat16, false>(table, "sum bf16", Accumulator::sum, 49);
  add_feed<bfloat16, true>(table, "sumabs bf16", Accumulator::sumabs, 40);
}
