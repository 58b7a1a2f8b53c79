// Sums of f32, and of |f32|.
//
//   plain    f64 additions inside a tile: exact if the elements span 46 bits, for 128 additions
//            bring 7 more; the range is checked by integers
//   split    elements of wider tiles in two f64 sums each: the high part by a window or, with
//            AVX-512, by a mask
//   bins     any range: exact/counted_bins.inl
//   exact    yes; infinities and NaN are counted, the sum leaves them out

#include "backend/cpu/exact/patience.inl"
#include "backend/cpu/exact/seen.inl"
#include "backend/cpu/exact/window.inl"

#include "backend/cpu/exact/counted_bins.inl"
#include "backend/cpu/exact/deposit.inl"
#include "backend/cpu/exact/range.inl"

template <bool absolute>
class SumF32 {
 public:
  using Element = float;

  void open(int64_t* const* words) {
    constexpr Accumulator which = absolute ? Accumulator::sumabs : Accumulator::sum;
    limb_ = words[static_cast<int>(which)];
    tally_ = words[static_cast<int>(Accumulator::tally)];
    if (limb_ == nullptr) {
      std::memset(unwanted_, 0, sizeof unwanted_);
      limb_ = unwanted_;
    }
    seen_ = {};
    n_ = 0;
    mode_ = Mode::plain;
    dirty_ = false;
    misses_ = held_ = zeros_hold_ = 0;
    patience_ = {};
    deposit_.open();
    bins_.open();
  }

  HWY_ATTR void run(const float* x, Size n, Size) {
    n_ += static_cast<int64_t>(n);
    while (n != 0) {
      Size m = n < tile_elements ? n : tile_elements;
      if (m >= 4 * N) {
        m -= m % (4 * N);
        add_tile(x, m);
      } else {
        float pad[4 * N];
        for (Size k = 0; k < 4 * N; ++k) pad[k] = k < m ? x[k] : -0.0f;
        add_tile(pad, 4 * N);
      }
      x += m;
      n -= m;
    }
  }

  HWY_ATTR void close() {
    deposit_.flush(limb_, unit);
    bins_.spill(absolute ? nullptr : limb_, absolute ? limb_ : nullptr);
    if (tally_ == nullptr) return;
    tally_[accumulator::tally<float>::n] += n_;
    seen_.add_to(tally_);
  }

 private:
  enum class Mode : uint8_t { plain, split, bins };
  static constexpr int unit = accumulator::sum<float>::unit;
  // Bits that elements of a plain sum may span: 53 less 7 for 128 additions.
  static constexpr int plain_bits = 46;
  // Tiles before plain sums are tried again.
  static constexpr int split_hold = 64;
  // Tiles in two parts in which zeros are expected after some were seen: that they do not count as
  // the smallest element is an operation more.
  static constexpr int zeros_hold = 64;

  struct Four {
    V v0, v1, v2, v3;
  };

  HWY_INLINE static V load(const float* x) {
    const V v = hn::PromoteTo(d64, hn::LoadU(hn::Rebind<float, D>(), x));
    return absolute ? hn::Abs(v) : v;
  }

  HWY_ATTR void add_tile(const float* x, Size n) {
    if (HWY_UNLIKELY(mode_ == Mode::bins)) {
      add_to_bins(x, n);
      if (patience_.over()) {
        mode_ = Mode::split;
        held_ = 0;
      }
      return;
    }
    if (HWY_UNLIKELY(dirty_)) {
      add_cleaned(x, n);
      return;
    }
    const Extent e = add_finite(x, n);
    if (HWY_UNLIKELY(e.special)) {
      add_cleaned(x, n);
    } else if (HWY_LIKELY(!e.zero)) {
      seen_.not_negative_zero = true;
    } else if (!seen_.not_negative_zero) {
      look_for_zeros(x, n, seen_);
    }
  }

  HWY_NOINLINE HWY_ATTR void add_cleaned(const float* x, Size n) {
    alignas(64) float clean[tile_elements];
    dirty_ = count_special(x, n, seen_, clean);
    if (!seen_.not_negative_zero) look_for_zeros(clean, n, seen_);
    add_finite(clean, n);
  }

  // Nothing is done if the extent is special.
  HWY_ATTR Extent add_finite(const float* x, Size n) {
    Extent e;
    if (mode_ == Mode::plain) {
      Four s;
      e = sum_plain(x, n, s);
      if (HWY_LIKELY(!e.special && (e.zero || e.bits() <= plain_bits))) {
        if (!e.zero) put(s, e.above + 7, e.unit);
        misses_ = 0;
        patience_.succeeded();
        return e;
      }
      if (e.special) return e;
      place_split(e);
      // Two misses in a row: unlucky tiles stand alone.
      if (++misses_ >= 2) {
        mode_ = Mode::split;
        held_ = 0;
      }
    }
    for (int attempt = 0;; ++attempt) {
      Four high, low;
      if (zeros_hold_ == 0) {
        e = sum_split<false>(x, n, high, low);
        if (HWY_UNLIKELY(e.unit == unit && !e.zero)) zeros_hold_ = zeros_hold;
      }
      if (HWY_UNLIKELY(zeros_hold_ != 0)) {
        e = sum_split<true>(x, n, high, low);
        --zeros_hold_;
      }
      if (e.special) return e;
      if (HWY_LIKELY(e.zero || fits_split(e))) {
        if (!e.zero) {
          put(high, high_top(), high_unit());
          put(low, low_top(), e.unit);
        }
        patience_.succeeded();
        break;
      }
      place_split(e);
      if (attempt == 1 || !fits_split(e)) {
        add_to_bins(x, n);
        patience_.failed();
        mode_ = Mode::bins;
        return e;
      }
    }
    if (mode_ == Mode::split && ++held_ >= split_hold) {
      mode_ = Mode::plain;
      misses_ = 1;
    }
    return e;
  }

  HWY_ATTR void add_to_bins(const float* x, Size n) {
    if (bins_.add(x, n)) count_special<float>(x, n, seen_, nullptr);
    if (!seen_.not_negative_zero) look_for_zeros(x, n, seen_);
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

  // The sums of a tile in two parts: `high` is below 2^high_top and a multiple of 2^high_unit,
  // `low` is below 2^low_top.
#if HWY_TARGET <= HWY_AVX3
  // Elements of 2^split_ and more are `high`; each half is a plain sum.
  void place_split(const Extent& e) { split_ = (e.above + e.unit + 23) / 2; }
  bool fits_split(const Extent& e) const {
    return e.above <= high_unit() + plain_bits && e.unit >= split_ - plain_bits;
  }
  int high_top() const { return high_unit() + plain_bits + 7; }
  int high_unit() const { return split_ - 23; }
  int low_top() const { return split_ + 7; }

  template <bool zeros>
  HWY_INLINE HWY_ATTR Extent sum_split(const float* x, Size n, Four& high, Four& low) const {
    // Compared as the range is, bits doubled. split_ is -137 to 127.
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
      // By the multipliers: the adders convert too.
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
  // A window takes what is above 2^(split_ - 44), for elements below 2^split_; what it leaves is at
  // most half of that, and a plain sum. 78 bits in all: `high` and `low` share a deposit.
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
  Seen seen_;
  int64_t* limb_;
  int64_t* tally_;
  int64_t n_;
  int split_ = 0;
  int misses_;  // plain tiles in a row that spanned too much
  int held_;    // tiles in two parts
  int zeros_hold_;
  Patience patience_;
  Mode mode_;
  bool dirty_;  // the last tile had infinities or NaN
  int64_t unwanted_[accumulator::sum<float>::words];
};

void add_feeds(std::vector<Feed>& table) {
  // Picoseconds from L2, Zen 4.
  constexpr bool wide = HWY_TARGET <= HWY_AVX3;
  table.push_back(
      make_feed<SumF32<false>>("sum f32", Accumulator::sum | Accumulator::tally, wide ? 93 : 80));
  table.push_back(make_feed<SumF32<true>>("sumabs f32", Accumulator::sumabs | Accumulator::tally,
                                          wide ? 111 : 94));
}
