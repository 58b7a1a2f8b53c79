// Sums of f64 in two windows (exact/window.inl). Included inside the namespace of an instruction
// set, after moments.inl; no include guard.

// Sums f64 in two windows, with units as integers so that any number of lanes may be joined. clean:
// answers with an infinity or NaN become NaN; the other answers are not affected.
template <bool absolute, bool clean = false>
struct WindowTotals {
  using Clean = WindowTotals<absolute, true>;
  static constexpr int words = clean ? 3 : 2;
  static constexpr PanelTotals::Word place[] = {PanelTotals::high, PanelTotals::low,
                                                PanelTotals::rest};
  static constexpr uint32_t used = bit(PanelTotals::high) | bit(PanelTotals::low);
  static constexpr int at_once = 1;
  static constexpr bool reads_y = false, weighted = false, shifted = false, anchored = true;
  static constexpr double fill_x = 0.0, fill_y = 0.0;
  V w[words];

  struct Shared {
    V m0, m1, one;
    Steps steps;
    HWY_INLINE HWY_ATTR void open(int anchor) {
      m0 = hn::Set(d64, window_start(anchor, 0));
      m1 = hn::Set(d64, window_start(anchor, 1));
      one = opaque_one();
      steps.open();
    }
    HWY_INLINE HWY_ATTR bool close() { return steps.exact(); }
  };
  HWY_INLINE HWY_ATTR void open(const Shared& s) {
    w[0] = s.m0;
    w[1] = s.m1;
    if constexpr (clean) w[2] = hn::Zero(d64);
  }
  HWY_INLINE HWY_ATTR void take(const Pair& e, Shared& s) {
    V x = e.x;
    if constexpr (clean) {
      const V kept = finite_of(x);
      w[2] = hn::Add(w[2], hn::Sub(x, kept));
      x = kept;
    }
    WindowSet<2> windows{w[0], w[1], w[1]};
    windows.take(absolute ? hn::Abs(x) : x, s.m0, s.one, s.steps);
    w[0] = windows.a;
    w[1] = windows.b;
  }
  // If a window leaves its binade, its bits no longer count units. The second window may: it takes
  // at most half a unit of the first at a time, 2^43 of its own, so after 256 elements per lane,
  // and in two lanes separately.
  HWY_INLINE HWY_ATTR void prepare(Shared& s) {
    s.steps.moved = see_difference(s.steps.moved, w[1], s.m1);
    w[0] = hn::BitCast(d64, hn::Sub(bits_of_vector(w[0]), bits_of_vector(s.m0)));
    w[1] = hn::BitCast(d64, hn::Sub(bits_of_vector(w[1]), bits_of_vector(s.m1)));
  }
  HWY_INLINE HWY_ATTR static WindowTotals join(const WindowTotals& a, const WindowTotals& b) {
    WindowTotals r = a;
    for (int k = 0; k < 2; ++k) {
      r.w[k] = hn::BitCast(d64, hn::Add(bits_of_vector(a.w[k]), bits_of_vector(b.w[k])));
    }
    if constexpr (clean) r.w[2] = hn::Add(a.w[2], b.w[2]);
    return r;
  }
  // Units below 2^51 are converted back to f64. Only careful sums know the sign of a zero.
  template <class Put>
  HWY_INLINE HWY_ATTR void finish(const Shared& s, const SumLength&, Put put) {
    const VI a = bits_of_vector(w[0]), b = bits_of_vector(w[1]), half = hn::Set(di64, 1LL << 51);
    const VI wide = hn::Or(hn::Add(a, half), hn::Add(b, half)), zero = hn::Zero(di64);
    auto bad = hn::Ne(hn::And(wide, hn::Set(di64, ~((1LL << 52) - 1))), zero);
    if constexpr (!absolute) bad = hn::Or(bad, hn::Eq(hn::Or(a, b), zero));
    if constexpr (clean) {
      bad = hn::Or(bad, hn::RebindMask(di64, hn::Not(hn::Eq(w[2], hn::Zero(d64)))));
    }
    const auto number = [](VI units, V m) HWY_ATTR {
      return hn::Sub(hn::BitCast(d64, hn::Add(units, bits_of_vector(m))), m);
    };
    put(PanelTotals::high,
        hn::IfThenElse(hn::RebindMask(d64, bad), not_a_number(), number(a, s.m0)));
    put(PanelTotals::low, number(b, s.m1));
  }
};
