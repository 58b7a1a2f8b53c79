// Where the chains are anchored, and how deep they are, from tile to tile.
//
//   anchors  |x| < 2^x and |y| < 2^y; the products' chains have the top x + y
//   mode     two levels, three, or a look at the range of each tile first, which may then be too
//            wide for any
//   moves    one unlucky tile in a hundred must not change anything: a dearer mode, or a new
//            anchor, only after two misses in a row
//
// Included inside the namespace of an instruction set, after traits.inl; no include guard.

template <class T, unsigned parts>
struct Anchors {
  using Traits = ProductTraits<T, parts>;
  enum class Mode : uint8_t { two, three, survey };
  static constexpr int misses_to_move = 2;
  // Tiles in a row that would fit a cheaper mode before it is tried again.
  static constexpr int calm_for_two = 32, calm_for_three = 4;
  // f64: what p = x y may be for the units of all levels to be f64, and for level 0 to be finite.
  static constexpr int highest_top = 1016, lowest_top = -882;

  int x, y;
  int misses;  // tiles in a row that this mode did not take
  int calm;    // tiles in a row that a cheaper one would have taken
  Mode mode;

  void open() {
    constexpr int nowhere = -5000;
    x = y = Traits::takes_all ? Traits::highest_anchor : nowhere;
    mode = Traits::takes_all ? Mode::two : Mode::survey;
    misses = calm = 0;
  }

  // After a tile that the mode took.
  HWY_INLINE void good() { misses = 0; }
  HWY_INLINE void good_in_three(bool fits_two) {
    calm = fits_two ? calm + 1 : 0;
    if (HWY_UNLIKELY(calm == calm_for_two)) mode = Mode::two;
  }

  // How many levels take a tile with |x| in [2^low_x, 2^high_x) and the like for y; 0: none do.
  // Calls `before_move` before the anchors change.
  template <class Call>
  HWY_ATTR int place(int high_x, int low_x, int high_y, int low_y, Call&& before_move) {
    const auto depth_for = [=](int ax, int ay) {
      if (high_x > ax || high_y > ay) return 0;
      const int need = (ax - low_x) + (ay - low_y);
      return need <= Traits::budget(2) ? 2 : need <= Traits::budget(3) ? 3 : 0;
    };
    const int kept = depth_for(x, y);
    if (kept == 2) return 2;
    // A bit of room, so that the next tile fits too.
    for (const int room : {1, 0}) {
      constexpr int top = Traits::highest_anchor;
      int ax = high_x + room < top ? high_x + room : top;
      int ay = high_y + room < top ? high_y + room : top;
      if constexpr (Traits::is_double) {
        if (ax + ay > highest_top) continue;
        if (ax + ay < lowest_top) {
          ax += (lowest_top - (ax + ay) + 1) / 2;
          ay = Traits::pair ? lowest_top - ax : ax;
        }
      }
      const int fresh = depth_for(ax, ay);
      if (fresh == 0) continue;
      if (kept == 3 && (fresh == 3 || misses < misses_to_move - 1)) break;
      before_move();
      x = ax;
      y = ay;
      return fresh;
    }
    return kept;
  }

  // After a tile that `place` found to need `depth`.
  HWY_ATTR void learn(int depth) {
    if (mode == Mode::survey) {
      calm = depth != 0 ? calm + 1 : 0;
      if (depth != 2 && calm != calm_for_three) return;
      mode = depth == 2 ? Mode::two : Mode::three;
    } else {
      if (depth == 2 || (depth == 3 && mode == Mode::three)) return;
      if (++misses < misses_to_move) return;
      mode = depth == 3 ? Mode::three : Mode::survey;
    }
    misses = calm = 0;
  }
};
