// Tiers: several ways to add a tile, and which one to try next. Tier 0 is the quickest; each
// further tier accepts more tiles, and the last accepts any finite elements.
//
//   miss      a tile that its tier rejects goes to a slower tier. Only after two misses in a row
//             does the slower tier keep its turn, since single unlucky tiles occur
//   turn      lasts 64 tiles. After a turn the next quicker tier is tried, and one miss ends the
//             attempt, at the cost of a read from L1. The last tier's turn is 16 tiles at first; it
//             doubles, up to 4096, each time that tier is needed again within 64 tiles
//
// Included inside the namespace of an instruction set; no include guard.

template <int tiers>
class Tiers {
 public:
  int now() const { return now_; }
  // Notes that a tile was added by `tier`, the current one or a slower one.
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
  int tiles_ = 0;   // tiles added so far
  int until_ = 0;   // the tile at which the turn ends; tier 0's turn has no end
  int misses_ = 0;  // tiles in a row
  int last_turn_ = shortest;
  int last_ended_ = -usual;
};
