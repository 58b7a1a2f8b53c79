// The anchors of the chains and the number of their levels, which persist from tile to tile.
//
//   anchors  |x| < 2^x and |y| < 2^y; the products' chains have the top x + y
//   depth    two, three or five levels; or 0: the range of each tile is computed first, since the
//            tile may be too wide for any depth
//   moves    one unlucky tile in a hundred must not change anything: depth or anchors change only
//            after two misses in a row
//
// Included inside the namespace of an instruction set, after traits.inl; no include guard.

template <class T, unsigned parts>
struct Anchors {
  using Traits = ProductTraits<T, parts>;
  static constexpr int misses_to_move = 2;
  // After so many tiles in a row that would fit a smaller depth, that depth is tried again.
  static constexpr int calm_tiles = 32, calm_tiles_from_0 = 4;

  int x, y;
  int depth;
  int misses;  // tiles in a row that did not fit the depth
  int calm;    // tiles in a row that would fit a smaller depth

  void open() {
    constexpr int nowhere = -5000;
    x = y = Traits::takes_all ? Traits::highest_anchor : nowhere;
    depth = Traits::takes_all ? 2 : 0;
    misses = calm = 0;
  }

  // Notes that a tile fitted the depth.
  HWY_INLINE void good() { misses = 0; }
  HWY_INLINE void good_but_deep(bool fits_less) {
    calm = fits_less ? calm + 1 : 0;
    if (HWY_UNLIKELY(calm == calm_tiles)) {
      depth = depth == 5 ? 3 : 2;
      calm = 0;
    }
  }

  // Returns the depth for tiles with |x| in [2^low_x, 2^high_x), and likewise y; 0 if none fits.
  // Calls `before_move` before the anchors change.
  template <class Call>
  HWY_ATTR int place(int high_x, int low_x, int high_y, int low_y, Call&& before_move) {
    const auto depth_for = [=](int ax, int ay) {
      if (high_x > ax || high_y > ay) return 0;
      const int need = (ax - low_x) + (ay - low_y);
      for (const int d : {2, 3, 5}) {
        if (need <= Traits::budget(d) && ax + ay >= lowest_top(d)) return d;
      }
      return 0;
    };
    const int kept = depth_for(x, y);
    if (kept == 2) return 2;
    int best = kept, best_x = x, best_y = y;
    // Leaves one bit of room if possible, so that the next tile fits too.
    for (const int room : {1, 0}) {
      for (const int d : {3, 5}) {
        constexpr int top = Traits::highest_anchor;
        int ax = high_x + room < top ? high_x + room : top;
        int ay = high_y + room < top ? high_y + room : top;
        if (Traits::is_double && ax + ay > highest_top) continue;
        if (ax + ay < lowest_top(d)) {
          ax += (lowest_top(d) - (ax + ay) + 1) / 2;
          ay = Traits::pair ? lowest_top(d) - ax : ax;
        }
        const int fresh = depth_for(ax, ay);
        if (fresh != 0 && (best == 0 || fresh < best)) {
          best = fresh;
          best_x = ax;
          best_y = ay;
        }
      }
    }
    if (best == kept || (kept != 0 && misses < misses_to_move - 1)) return kept;
    before_move();
    x = best_x;
    y = best_y;
    if (x + y < lowest_top(depth)) depth = best;
    return best;
  }

  // Chooses the depth for the next tiles, after `place` found that this one needed `needed`.
  HWY_ATTR void learn(int needed) {
    if (depth == 0) {
      calm = needed != 0 ? calm + 1 : 0;
      if (needed != 2 && calm != calm_tiles_from_0) return;
    } else {
      if (needed != 0 && needed <= depth) return;
      if (++misses < misses_to_move) return;
    }
    depth = needed;
    misses = calm = 0;
  }

 private:
  // For f64: the bounds of the top. Level 0 may reach 2^53 units and must be finite, and the unit
  // of the last level of e must be an f64.
  static constexpr int highest_top = 1015;
  static constexpr int lowest_top(int depth) {
    return Traits::is_double ? -1074 + 54 + Traits::reach(depth < 3 ? 3 : depth) + 1 : -10000;
  }
};
