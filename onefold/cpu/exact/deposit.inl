// Deposit: adds a few exact f64 vectors per tile (the tile's plain sums) to two running windows.
//
//   exact    for 128 vectors between flushes: |x| < 2^anchor and x is a multiple of 2^(anchor -
//            88), so the second window leaves no remainder (window.inl)
//
// Included inside the namespace of an instruction set, after window.inl; no include guard.

// Adds one finite f64 to limbs of which limb 0 has the weight 2^unit.
inline void add_double(int64_t* limb, int unit, double x) {
  const Decoded v = decode(x);
  const auto m = static_cast<Int128>(v.mantissa);
  add_to_limbs(limb, unit, v.negative ? -m : m, v.shift - 1074);
}

class Deposit {
 public:
  void open() { anchor_ = closed; }

  // Adds four vectors; every lane is below 2^top and a multiple of 2^low.
  HWY_INLINE HWY_ATTR void add(V x0, V x1, V x2, V x3, int top, int low, int64_t* limb, int unit) {
    if (HWY_UNLIKELY(top > anchor_ || low < anchor_ - 2 * window_bits)) {
      if (!move(top, low, limb, unit)) {
        for (const V x : {x0, x1, x2, x3}) {
          alignas(64) double lane[N];
          hn::Store(x, d64, lane);
          for (const double v : lane) add_double(limb, unit, v);
        }
        return;
      }
    }
    take(x0);
    take(x1);
    take(x2);
    take(x3);
    if ((taken_ += 4) == 128) flush(limb, unit);
  }

  HWY_ATTR void flush(int64_t* limb, int unit) {
    if (anchor_ == closed) return;
    const V m0 = hn::Set(d64, window_start(anchor_, 0)),
            m1 = hn::Set(d64, window_start(anchor_, 1));
    const auto spill = [&](V a, V m, int window) HWY_ATTR {
      add_to_limbs(limb, unit, sum_lanes(hn::Sub(bits_of_vector(a), bits_of_vector(m))),
                   anchor_ - window_bits * (window + 1));
    };
    spill(a_, m0, 0);
    spill(b_, m1, 1);
    a_ = m0;
    b_ = m1;
    taken_ = 0;
  }

 private:
  static constexpr int closed = -5000;

  // Moves the anchor. Leaves three bits of room above, so that the next tile's sums fit too.
  HWY_ATTR bool move(int top, int low, int64_t* limb, int unit) {
    flush(limb, unit);
    int anchor = top + 3;
    if (anchor - 2 * window_bits > low) anchor = low + 2 * window_bits;
    if (anchor < lowest_anchor) anchor = lowest_anchor;
    if (anchor < top || anchor > highest_anchor || anchor - 2 * window_bits > low) {
      anchor_ = closed;
      return false;
    }
    anchor_ = anchor;
    a_ = hn::Set(d64, window_start(anchor_, 0));
    b_ = hn::Set(d64, window_start(anchor_, 1));
    taken_ = 0;
    return true;
  }
  HWY_INLINE HWY_ATTR void take(V x) {
    const V t = hn::Add(a_, x);
    x = hn::Sub(x, hn::Sub(t, a_));
    a_ = t;
    b_ = hn::Add(b_, x);
  }

  V a_, b_;
  int anchor_;
  int taken_;
};
