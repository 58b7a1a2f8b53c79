// ExactSum: the exact sum of f64 values, whatever they are, from as many calls as one likes.
//
//   fast     two windows; the anchor and the integer sums live on from call to call
//   wide     a tile (window.inl) that two windows do not take goes to three, then to bins, which
//            take anything. Each mode is kept for a while: failed attempts cost a read from L1
//   special  infinities and NaN are left out and counted; such tiles are copied without them
//   exact    a tile adds at most 2^53 units a lane to the integer sums; they go to the limbs after
//            64 tiles, so 2^59 a lane and 2^62 over 8 lanes
//
// Included inside the namespace of an instruction set, after vocabulary.inl; no include guard.

#include "backend/cpu/exact/ahead.inl"
#include "backend/cpu/exact/patience.inl"
#include "backend/cpu/exact/seen.inl"
#include "backend/cpu/exact/window.inl"

#include "backend/cpu/exact/bins.inl"

class ExactSum {
 public:
  Seen seen;

  // limb: words of weight 2^(unit + 32 k). To add values times 2^s, say unit - s.
  HWY_ATTR void open(int64_t* limb, int unit) {
    seen = {};
    limb_ = limb;
    unit_ = unit;
    sums_ = {hn::Zero(di64), hn::Zero(di64), hn::Zero(di64)};
    anchor_ = no_anchor;
    mode_ = Mode::two;
    dirty_ = false;
    tiles_ = held_ = 0;
    patience_ = {};
    bins_.open();
  }

  // n elements, f64 or what converts to it exactly; `absolute`: their absolute values.
  template <bool absolute = false, class T>
  HWY_ATTR void add(const T* x, Size n) {
    while (n != 0) {
      Size m = n < tile_elements ? n : tile_elements;
      if (m >= 4 * N) {
        m -= m % (4 * N);
        add_tile<absolute>(x, m);
      } else {
        T pad[4 * N];  // -0 adds nothing, nor does it count as seen
        for (Size k = 0; k < 4 * N; ++k) pad[k] = k < m ? x[k] : negative_zero<T>();
        add_tile<absolute>(pad, 4 * N);
      }
      x += m;
      n -= m;
    }
  }

  HWY_ATTR void close() {
    spill();
    bins_.spill(limb_, unit_);
  }

 private:
  enum class Mode : uint8_t { two, three, bins };
  static constexpr int no_anchor = -2000;
  static constexpr int tiles_per_spill = 64;
  // Tiles in three windows before two are tried again.
  static constexpr int three_hold = 64;

  // m: a multiple of 4 N.
  template <bool absolute, class T>
  HWY_ATTR void add_tile(const T* x, Size m) {
    const Elements<T, absolute> source{x};
    if (HWY_UNLIKELY(mode_ == Mode::bins)) {
      dirty_ = bins_.add(source, m, limb_, unit_);
      if (dirty_) count_special<T>(x, m, seen, nullptr);
      step_back();
    } else if (HWY_UNLIKELY(dirty_) || !add_in_windows<true>(source, m)) {
      add_cleaned<absolute>(x, m);
    }
    if (HWY_UNLIKELY(!seen.not_negative_zero)) look_for_zeros(x, m, seen);
  }

  template <class Source>
  HWY_INLINE HWY_ATTR bool sum_by_mode(Source source, Size m) {
    return mode_ == Mode::two ? sum_tile<2>(source, m, anchor_, sums_)
                              : sum_tile<3>(source, m, anchor_, sums_);
  }

  // False, and nothing done, if there may be infinities or NaN.
  template <bool may_be_special, class Source>
  HWY_ATTR bool add_in_windows(Source source, Size m) {
    if (HWY_UNLIKELY(anchor_ == no_anchor)) guess_anchor(source);
    if (HWY_UNLIKELY(!sum_by_mode(source, m))) {
      const int e = exponent_above(top_of(source, m));
      if (may_be_special && e > 1024) return false;
      if (!try_again(source, m, e)) {
        bins_.add(source, m, limb_, unit_);
        patience_.failed();
        mode_ = Mode::bins;
        return true;
      }
    }
    patience_.succeeded();
    if (++tiles_ == tiles_per_spill) spill();
    if (HWY_UNLIKELY(mode_ != Mode::two)) step_back();
    return true;
  }

  template <class Source>
  HWY_ATTR void guess_anchor(Source source) {
    set_anchor(exponent_above(top_of(source, 4 * N)) + 3);
  }
  void set_anchor(int e) {
    anchor_ = e < lowest_anchor ? lowest_anchor : e > highest_anchor ? highest_anchor : e;
  }

  // With an anchor that suits this tile, whose elements are below 2^e; then with a third window.
  template <class Source>
  HWY_NOINLINE HWY_ATTR bool try_again(Source source, Size m, int e) {
    if (e > highest_anchor) return false;
    if (e > anchor_ || e < anchor_ - 6) {
      const int old = anchor_;
      spill();
      set_anchor(e + 2);
      if (anchor_ != old && sum_by_mode(source, m)) return true;
    }
    if (mode_ != Mode::two || !sum_tile<3>(source, m, anchor_, sums_)) return false;
    mode_ = Mode::three;
    held_ = 0;
    return true;
  }

  HWY_ATTR void step_back() {
    if (mode_ == Mode::bins) {
      if (!patience_.over()) return;
      mode_ = Mode::three;
      spill();
      anchor_ = no_anchor;
    } else {
      if (++held_ < three_hold) return;
      mode_ = Mode::two;
    }
    held_ = 0;
  }

  HWY_ATTR void spill() {
    if (tiles_ != 0) {
      add_to_limbs(limb_, unit_, sum_lanes(sums_.s0), anchor_ - window_bits);
      add_to_limbs(limb_, unit_, sum_lanes(sums_.s1), anchor_ - 2 * window_bits);
      add_to_limbs(limb_, unit_, sum_lanes(sums_.s2), anchor_ - 3 * window_bits);
      sums_ = {hn::Zero(di64), hn::Zero(di64), hn::Zero(di64)};
      tiles_ = 0;
    }
  }

  template <bool absolute, class T>
  HWY_NOINLINE HWY_ATTR void add_cleaned(const T* x, Size m) {
    alignas(64) T clean[tile_elements];
    dirty_ = count_special(x, m, seen, clean);
    add_in_windows<false>(Elements<T, absolute>{clean}, m);
  }

  WindowSums sums_;
  Bins bins_;
  int64_t* limb_;
  int unit_;
  int anchor_;
  int tiles_;  // since the last spill
  int held_;   // tiles in three windows
  Patience patience_;
  Mode mode_;
  bool dirty_;  // the last tile had infinities or NaN
};
