// Feeds of sums of floats. Each tile of a run is added by the current tier (exact/tiers.inl).
//
//   bins     the third tier of all sums: elements of any range; bins leave out infinities and NaN
//   special  a tile with infinities or NaN is copied without them, and they are counted. The tile
//            after such a tile is copied without trying
//
// Included inside the namespace of an instruction set, after tiers.inl and
// special_counts.inl; no include guard.

// Requirements on Ways, which adds the tiles of a sum:
//   Element, absolute  the element type; whether absolute values are summed
//   tile, step         the most elements of a tile; a tile is a multiple of a step
//   open(limb)         limb: the words to which sums are added
//   add(x, n, tier)    adds by tier 0 or 1, or by a slower one if that fails; returns the tier
//                      used, or `special`, with nothing added, if there are infinities or NaN
//   add_any(x, n)      adds by bins; returns true if there are infinities or NaN
//   close()            adds the sums to the words
constexpr int special = -1;
constexpr int to_bins = 2;

template <class Ways>
class SumFeed {
 public:
  using Element = typename Ways::Element;

  HWY_ATTR void open(int64_t* const* words) {
    constexpr Accumulator which = Ways::absolute ? Accumulator::sumabs : Accumulator::sum;
    int64_t* limb = words[static_cast<int>(which)];
    tally_ = words[static_cast<int>(Accumulator::tally)];
    if (limb == nullptr) {
      std::memset(unwanted_, 0, sizeof unwanted_);
      limb = unwanted_;
    }
    ways_.open(limb);
    tiers_ = {};
    seen_ = {};
    n_ = 0;
    dirty_ = false;
  }

  HWY_ATTR void run(const Element* x, Size n, Size) {
    n_ += static_cast<int64_t>(n);
    while (n != 0) {
      Size m = n < Ways::tile ? n : Ways::tile;
      if (m >= Ways::step) {
        m -= m % Ways::step;
        add_tile(x, m);
      } else {
        Element pad[Ways::step];  // -0 adds nothing, nor does it count as seen
        for (Size k = 0; k < Ways::step; ++k) pad[k] = k < m ? x[k] : negative_zero<Element>();
        add_tile(pad, Ways::step);
      }
      x += m;
      n -= m;
    }
  }

  HWY_ATTR void close() {
    ways_.close();
    if (tally_ == nullptr) return;
    tally_[accumulator::tally<Element>::n] += n_;
    seen_.add_to(tally_);
  }

 private:
  HWY_ATTR void add_tile(const Element* x, Size n) {
    if (HWY_UNLIKELY(tiers_.now() == to_bins)) {
      if (ways_.add_any(x, n)) count_special<Element>(x, n, seen_, nullptr);
      tiers_.took(to_bins);
    } else if (HWY_UNLIKELY(dirty_) || !add_finite(x, n)) {
      add_cleaned(x, n);
    }
    if (HWY_UNLIKELY(!seen_.not_negative_zero)) {
      seen_.not_negative_zero = has_not_negative_zero(x, n);
    }
  }
  HWY_INLINE bool add_finite(const Element* x, Size n) {
    const int tier = ways_.add(x, n, tiers_.now());
    if (HWY_UNLIKELY(tier == special)) return false;
    tiers_.took(tier);
    return true;
  }
  HWY_NOINLINE HWY_ATTR void add_cleaned(const Element* x, Size n) {
    alignas(64) Element clean[Ways::tile];
    dirty_ = count_special(x, n, seen_, clean);
    add_finite(clean, n);
  }

  Ways ways_;
  Tiers<to_bins + 1> tiers_;
  SpecialCounts seen_;
  int64_t* tally_;
  int64_t n_;
  bool dirty_;  // the last tile had infinities or NaN
  int64_t unwanted_[accumulator::sum<Element>::words];
};
