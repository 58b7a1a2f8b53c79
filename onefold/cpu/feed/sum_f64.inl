// Sums of f64, and of |f64|.
//
//   fast     two windows; the anchor and the integer sums persist from tile to tile
//   wide     three windows (exact/window.inl); any range: exact/bins.inl
//   exact    a tile adds at most 2^53 units per lane to the integer sums; they go to the limbs
//            after 64 tiles, so they stay below 2^59 per lane and 2^62 over 8 lanes. Infinities and
//            NaN are counted and left out of the sum

#include "onefold/cpu/exact/ahead.inl"
#include "onefold/cpu/exact/special_counts.inl"
#include "onefold/cpu/exact/tiers.inl"
#include "onefold/cpu/exact/window.inl"

#include "onefold/cpu/exact/bins.inl"
#include "onefold/cpu/exact/sum_feed.inl"

template <bool of_absolute>
class SumF64 {
 public:
  using Element = double;
  static constexpr bool absolute = of_absolute;
  static constexpr Size tile = tile_elements, step = 4 * N;

  HWY_ATTR void open(int64_t* limb) {
    limb_ = limb;
    sums_ = {hn::Zero(di64), hn::Zero(di64), hn::Zero(di64)};
    anchor_ = no_anchor;
    tiles_ = 0;
    bins_.open();
  }

  HWY_ATTR int add(const double* x, Size n, int tier) {
    const Source source{x};
    if (HWY_UNLIKELY(anchor_ == no_anchor)) {
      set_anchor(exponent_above(top_of(source, step)) + 3);
    }
    if (HWY_UNLIKELY(!sum(source, n, tier))) {
      const int e = exponent_above(top_of(source, n));
      if (e > 1024) return special;
      tier = add_misfit(source, n, tier, e);
      if (tier == to_bins) return tier;
    }
    if (++tiles_ == tiles_per_spill) spill();
    return tier;
  }
  HWY_ATTR bool add_any(const double* x, Size n) {
    spill();
    anchor_ = no_anchor;
    return bins_.add(Source{x}, n, limb_, unit);
  }

  HWY_ATTR void close() {
    spill();
    bins_.spill(limb_, unit);
  }

 private:
  using Source = Elements<double, absolute>;
  static constexpr int unit = accumulator::sum<double>::unit;
  static constexpr int no_anchor = -2000;
  static constexpr int tiles_per_spill = 64;

  HWY_INLINE HWY_ATTR bool sum(Source source, Size n, int tier) {
    return tier == 0 ? sum_tile<2>(source, n, anchor_, sums_)
                     : sum_tile<3>(source, n, anchor_, sums_);
  }
  void set_anchor(int e) {
    anchor_ = e < lowest_anchor ? lowest_anchor : e > highest_anchor ? highest_anchor : e;
  }

  // Adds a tile that does not fit: tries a new anchor, then a third window, then bins. Its elements
  // are below 2^e.
  HWY_NOINLINE HWY_ATTR int add_misfit(Source source, Size n, int tier, int e) {
    if (e <= highest_anchor) {
      if (e > anchor_ || e < anchor_ - 6) {
        const int old = anchor_;
        spill();
        set_anchor(e + 2);
        if (anchor_ != old && sum(source, n, tier)) return tier;
      }
      if (tier == 0 && sum(source, n, 1)) return 1;
    }
    bins_.add(source, n, limb_, unit);
    return to_bins;
  }

  HWY_ATTR void spill() {
    if (tiles_ == 0) return;
    add_to_limbs(limb_, unit, sum_lanes(sums_.s0), anchor_ - window_bits);
    add_to_limbs(limb_, unit, sum_lanes(sums_.s1), anchor_ - 2 * window_bits);
    add_to_limbs(limb_, unit, sum_lanes(sums_.s2), anchor_ - 3 * window_bits);
    sums_ = {hn::Zero(di64), hn::Zero(di64), hn::Zero(di64)};
    tiles_ = 0;
  }

  WindowSums sums_;
  Bins bins_;
  int64_t* limb_;
  int anchor_;
  int tiles_;  // since the last spill
};

void add_feeds(std::vector<Feed>& table) {
  using enum Accumulator;
  table.push_back(make_feed<SumFeed<SumF64<false>>>("sum f64", sum | tally, 150));
  table.push_back(make_feed<SumFeed<SumF64<true>>>("sumabs f64", sumabs | tally, 175));
}
