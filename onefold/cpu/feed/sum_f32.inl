// Sums of f32, and of |f32|.
//
//   plain    f64 additions inside a tile. Exact if the elements span at most 46 bits, since 128
//            additions need 7 more; integers check the span
//   split    wider tiles: two f64 sums per element. The high part is found by a window or, with
//            AVX-512, by a mask
//   bins     any range: exact/counted_bins.inl
//   exact    yes; infinities and NaN are counted and left out of the sum

#include "onefold/cpu/exact/special_counts.inl"
#include "onefold/cpu/exact/tiers.inl"
#include "onefold/cpu/exact/window.inl"

#include "onefold/cpu/exact/counted_bins.inl"
#include "onefold/cpu/exact/deposit.inl"
#include "onefold/cpu/exact/range.inl"
#include "onefold/cpu/exact/sum_feed.inl"

template <bool of_absolute>
class SumF32 {
 public:
  using Element = float;
  static constexpr bool absolute = of_absolute;
  static constexpr Size tile = tile_elements, step = 4 * N;

  void open(int64_t* limb) {
    limb_ = limb;
    zeros_hold_ = 0;
    deposit_.open();
    bins_.open();
  }

  HWY_ATTR int add(const float* x, Size n, int tier) {
    if (tier == 0) {
      Four s;
      const Extent e = sum_plain(x, n, s);
      if (HWY_UNLIKELY(e.special)) return special;
      if (HWY_UNLIKELY(e.zero)) return 0;
      if (HWY_LIKELY(e.bits() <= plain_bits)) {
        put(s, e.above + 7, e.unit);
        return 0;
      }
      place_split(e);
    }
    for (int attempt = 0; attempt < 2; ++attempt) {
      Four high, low;
      Extent e;
      if (zeros_hold_ == 0) {
        e = sum_split<false>(x, n, high, low);
        if (HWY_UNLIKELY(e.unit == unit && !e.zero)) zeros_hold_ = zeros_hold;
      }
      if (HWY_UNLIKELY(zeros_hold_ != 0)) {
        e = sum_split<true>(x, n, high, low);
        --zeros_hold_;
      }
      if (HWY_UNLIKELY(e.special)) return special;
      if (HWY_UNLIKELY(e.zero)) return 1;
      if (HWY_LIKELY(fits_split(e))) {
        put(high, high_top(), high_unit());
        put(low, low_top(), e.unit);
        return 1;
      }
      place_split(e);
      if (!fits_split(e)) break;
    }
    bins_.add(x, n);
    return to_bins;
  }
  bool add_any(const float* x, Size n) { return bins_.add(x, n); }

  HWY_ATTR void close() {
    deposit_.flush(limb_, unit);
    bins_.spill(absolute ? nullptr : limb_, absolute ? limb_ : nullptr);
  }

 private:
  static constexpr int unit = accumulator::sum<float>::unit;
  // The bits that elements of a plain sum may span: 53, less 7 for 128 additions.
  static constexpr int plain_bits = 46;
  // The number of split tiles after a zero in which more zeros are expected. Leaving zeros out of
  // the minimum takes one more operation.
  static constexpr int zeros_hold = 64;

  struct Four {
    V v0, v1, v2, v3;
  };

  HWY_INLINE static V load(const float* x) {
    const V v = hn::PromoteTo(d64, hn::LoadU(hn::Rebind<float, D>(), x));
    return absolute ? hn::Abs(v) : v;
  }

  HWY_INLINE void put(const Four& s, int top, int low) {
    deposit_.add(s.v0, s.v1, s.v2, s.v3, top, low, limb_, unit);
  }

  HWY_INLINE HWY_ATTR static Extent sum_plain(const float* x, Size n, Four& s) {
    V a0 = hn::Zero(d64), a1 = a0, a2 = a0, a3 = a0;
    Range<float> r0, r1;
    r0.open();
    r1.open();
    for (Size i = 0; i < n; i += 4 * N) {
      prefetch(x + i, 16 * N);
      r0.see(Range<float>::load(x + i));
      r1.see(Range<float>::load(x + i + 2 * N));
      a0 = hn::Add(a0, load(x + i));
      a1 = hn::Add(a1, load(x + i + N));
      a2 = hn::Add(a2, load(x + i + 2 * N));
      a3 = hn::Add(a3, load(x + i + 3 * N));
    }
    r0.see(r1);
    s = {a0, a1, a2, a3};
    return extent_of(r0);
  }

  // The sums of a split tile: `high` is below 2^high_top and a multiple of 2^high_unit, `low` is
  // below 2^low_top.
#if HWY_TARGET <= HWY_AVX3
  // Elements of at least 2^split_ are `high`; each half is a plain sum.
  void place_split(const Extent& e) { split_ = (e.above + e.unit + 23) / 2; }
  bool fits_split(const Extent& e) const {
    return e.above <= high_unit() + plain_bits && e.unit >= split_ - plain_bits;
  }
  int high_top() const { return high_unit() + plain_bits + 7; }
  int high_unit() const { return split_ - 23; }
  int low_top() const { return split_ + 7; }

  template <bool zeros>
  HWY_INLINE HWY_ATTR Extent sum_split(const float* x, Size n, Four& high, Four& low) const {
    // Compares doubled bits, as the range does. split_ is -137 to 127.
    const Range<float>::Tag u32;
    const auto split_bits = bit_cast<uint32_t>(static_cast<float>(power_of_two(split_)));
    const auto below = hn::Set(u32, 2 * split_bits - 1);
    const auto is_high = [=](auto doubled) HWY_ATTR { return hn::Gt(doubled, below).raw; };
    V a0 = hn::Zero(d64), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    Range<float> r;
    r.open();
    const V one = opaque_one();
    const auto put = [one](__mmask16 is_high, V v, V& a, V& b) HWY_ATTR {
      const auto mask = static_cast<__mmask8>(is_high);
      a.raw = _mm512_mask_add_pd(a.raw, mask, a.raw, v.raw);
      // Adds by an fma, since the adders also convert.
      b.raw = _mm512_mask3_fmadd_pd(v.raw, one.raw, b.raw, static_cast<__mmask8>(~mask));
    };
    for (Size i = 0; i < n; i += 4 * N) {
      prefetch(x + i, 16 * N);
      const auto bits0 = Range<float>::load(x + i), bits1 = Range<float>::load(x + i + 2 * N);
      const auto u0 = hn::Add(bits0, bits0), u1 = hn::Add(bits1, bits1);
      r.see_doubled<zeros>(u0);
      r.see_doubled<zeros>(u1);
      const __mmask16 m0 = is_high(u0), m1 = is_high(u1);
      put(m0, load(x + i), a0, b0);
      put(_kshiftri_mask16(m0, 8), load(x + i + N), a1, b1);
      put(m1, load(x + i + 2 * N), a2, b2);
      put(_kshiftri_mask16(m1, 8), load(x + i + 3 * N), a3, b3);
    }
    high = {a0, a1, a2, a3};
    low = {b0, b1, b2, b3};
    return extent_of(r);
  }
#else
  // A window takes the part above 2^(split_ - 44) of elements below 2^split_. The remainder is at
  // most half of that, and is added plainly. All in all 78 bits: `high` and `low` share a deposit.
  void place_split(const Extent& e) { split_ = e.above + 2; }
  bool fits_split(const Extent& e) const { return e.above <= split_ && e.unit >= split_ - 78; }
  int high_top() const { return split_ + 7; }
  int high_unit() const { return split_ - window_bits; }
  int low_top() const { return split_ - window_bits + 6; }

  template <bool zeros>
  HWY_INLINE HWY_ATTR Extent sum_split(const float* x, Size n, Four& high, Four& low) const {
    const V m = hn::Set(d64, window_start(split_, 0)), one = opaque_one();
    V a0 = m, a1 = m, a2 = m, a3 = m, b0 = hn::Zero(d64), b1 = b0, b2 = b0, b3 = b0;
    Range<float> r;
    r.open();
    const auto put = [one](V v, V& a, V& b) HWY_ATTR {
      into_window(a, v, one);
      b = hn::Add(b, v);
    };
    for (Size i = 0; i < n; i += 4 * N) {
      prefetch(x + i, 16 * N);
      const auto bits0 = Range<float>::load(x + i), bits1 = Range<float>::load(x + i + 2 * N);
      r.see_doubled<zeros>(hn::Add(bits0, bits0));
      r.see_doubled<zeros>(hn::Add(bits1, bits1));
      put(load(x + i), a0, b0);
      put(load(x + i + N), a1, b1);
      put(load(x + i + 2 * N), a2, b2);
      put(load(x + i + 3 * N), a3, b3);
    }
    high = {hn::Sub(a0, m), hn::Sub(a1, m), hn::Sub(a2, m), hn::Sub(a3, m)};
    low = {b0, b1, b2, b3};
    return extent_of(r);
  }
#endif

  Deposit deposit_;
  CountedBins<float> bins_;
  int64_t* limb_;
  int split_ = 0;
  int zeros_hold_;
};

void add_feeds(std::vector<Feed>& table) {
  // Picoseconds from L2, Zen 4.
  constexpr bool wide = HWY_TARGET <= HWY_AVX3;
  using enum Accumulator;
  table.push_back(make_feed<SumFeed<SumF32<false>>>("sum f32", sum | tally, wide ? 93 : 80));
  table.push_back(make_feed<SumFeed<SumF32<true>>>("sumabs f32", sumabs | tally, wide ? 111 : 94));
}
