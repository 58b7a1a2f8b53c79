// Tiers: which of several ways of adding a tile has the next one. Tier 0 is the quickest, each
// further one takes more, and the last takes any finite elements.
//
//   miss      a tile that its tier does not take goes to a slower one. Two in a row, and the slower
//             tier keeps its turn: unlucky tiles stand alone
//   turn      64 tiles; of the last tier 16, and twice as many each time, up to 4096, where it is
//             needed again within 64 tiles. Then the next quicker tier is tried, where one miss is
//             enough. An attempt that fails costs a read from L1
//
// Included inside the namespace of an instruction set; no include guard.

template <int tiers>
class Tiers {
 public:
  int now() const { return now_; }
  // After a tile that was added by `tier`: that of the turn, or a slower one.
  HWY_INLINE void took(int tier) {
    ++tiles_;
    if (HWY_LIKELY(tier == now_)) {
      misses_ = 0;
      if (HWY_UNLIKELY(now_ != 0) && tiles_ >= until_) end_turn();
    } else if (++misses_ == most_misses) {
      begin_turn(tier);
    }
  }

 private:
  static constexpr int last = tiers - 1, most_misses = 2;
  static constexpr int usual = 64, shortest = 16, longest = 4096;  // turns in tiles

  void begin_turn(int tier) {
    if (tier == last) {
      const bool again = tiles_ - last_ended_ < usual;
      last_turn_ = again ? std::min(2 * last_turn_, longest) : shortest;
    }
    go_to(tier);
  }
  void end_turn() {
    if (now_ == last) last_ended_ = tiles_;
    go_to(now_ - 1);
    misses_ = most_misses - 1;
  }
  void go_to(int tier) {
    now_ = tier;
    until_ = tiles_ + (tier == last ? last_turn_ : usual);
    misses_ = 0;
  }

  int now_ = 0;
  int tiles_ = 0;   // all that were added
  int until_ = 0;   // as many tiles the turn lasts; tier 0's has no end
  int misses_ = 0;  // tiles in a row
  int last_turn_ = shortest;
  int last_ended_ = -usual;
};
