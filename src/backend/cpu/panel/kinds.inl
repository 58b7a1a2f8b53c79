// What an accumulator of a panel holds in registers, an answer or a part of one a lane. Included
// inside the namespace of an instruction set, after lanes.inl and window.inl; no include guard.
//
// A kind has its words w, and how to open them, take a vector of elements, join two of itself, and
// write what a panel wants to know; a row takes `at_once` of them where one would wait for itself.
// `Shared` is what all accumulators of a panel share: constants, and what was seen. Where
// `anchored`, these depend on the largest exponent, and `Clean` is the kind that passes over what
// is not finite.

HWY_INLINE HWY_ATTR V not_a_number() {
  return hn::Set(d64, std::numeric_limits<double>::quiet_NaN());
}
constexpr uint32_t bit(Totals::Word w) { return uint32_t{1} << w; }

// f64 additions of narrower numbers, their magnitudes or squares, or of 1 for each zero, exact
// unless the processor says otherwise.
template <Recipe::Name name>
struct Plain {
  static constexpr int words = 1;
  static constexpr Totals::Word place[] = {Totals::high};
  static constexpr uint32_t used = bit(Totals::high);
  static constexpr int at_once = 4;
  static constexpr bool has_origin = false;
  // What leaves a sum as it is; that of nothing but -0 is -0, that of magnitudes +0.
  static constexpr double fill = name == Recipe::Name::zeros ? 1.0
                                 : name == Recipe::Name::sum ? -0.0
                                                             : 0.0;
  static constexpr bool anchored = false;
  V w[words];

  struct Shared {
    Inexact inexact;
    V origin;
    HWY_INLINE HWY_ATTR void open(int) { inexact.open(); }
    HWY_INLINE HWY_ATTR bool close() { return !inexact.seen(); }
  };
  HWY_INLINE HWY_ATTR void open(const Shared&) {
    w[0] = hn::Set(d64, name == Recipe::Name::zeros ? 0.0 : fill);
  }
  HWY_INLINE HWY_ATTR void take(V x, Shared&) {
    if constexpr (name == Recipe::Name::sumsq) {
      w[0] = hn::MulAdd(x, x, w[0]);
    } else if constexpr (name == Recipe::Name::zeros) {
      w[0] = hn::Add(w[0], hn::IfThenElseZero(hn::Eq(x, hn::Zero(d64)), hn::Set(d64, 1.0)));
    } else {
      w[0] = hn::Add(w[0], name == Recipe::Name::sumabs ? hn::Abs(x) : x);
    }
  }
  HWY_INLINE HWY_ATTR void prepare(Shared&) {}
  HWY_INLINE HWY_ATTR static Plain join(const Plain& a, const Plain& b) {
    return {{hn::Add(a.w[0], b.w[0])}};
  }
  template <class Put>
  HWY_INLINE HWY_ATTR void finish(const Shared&, Size, Put put) {
    put(Totals::high, w[0]);
  }
};

// f64 in two windows: their units as integers, so that lanes may be joined in any number. clean:
// answers with elements that are not finite become NaN, and the others are none the worse.
template <bool absolute, bool clean = false>
struct Windowed {
  using Clean = Windowed<absolute, true>;
  static constexpr int words = clean ? 3 : 2;
  static constexpr Totals::Word place[] = {Totals::high, Totals::low, Totals::rest};
  static constexpr uint32_t used = bit(Totals::high) | bit(Totals::low);
  static constexpr int at_once = 1;
  static constexpr bool has_origin = false;
  static constexpr double fill = 0.0;
  static constexpr bool anchored = true;
  V w[words];

  struct Shared {
    V m0, m1, one, origin;
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
  HWY_INLINE HWY_ATTR void take(V x, Shared& s) {
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
  // What leaves its binade is no longer bits of units. The second window may: at most half a unit
  // of the first at a time, 2^43 of its own, so from 256 elements a lane on, and two lanes apart.
  HWY_INLINE HWY_ATTR void prepare(Shared& s) {
    s.steps.moved = see_difference(s.steps.moved, w[1], s.m1);
    w[0] = hn::BitCast(d64, hn::Sub(bits_of_vector(w[0]), bits_of_vector(s.m0)));
    w[1] = hn::BitCast(d64, hn::Sub(bits_of_vector(w[1]), bits_of_vector(s.m1)));
  }
  HWY_INLINE HWY_ATTR static Windowed join(const Windowed& a, const Windowed& b) {
    Windowed r = a;
    for (int k = 0; k < 2; ++k) {
      r.w[k] = hn::BitCast(d64, hn::Add(bits_of_vector(a.w[k]), bits_of_vector(b.w[k])));
    }
    if constexpr (clean) r.w[2] = hn::Add(a.w[2], b.w[2]);
    return r;
  }
  // Units below 2^51 are an f64 again. Which zero it is only careful sums know.
  template <class Put>
  HWY_INLINE HWY_ATTR void finish(const Shared& s, Size, Put put) {
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
    put(Totals::high, hn::IfThenElse(hn::RebindMask(d64, bad), not_a_number(), number(a, s.m0)));
    put(Totals::low, number(b, s.m1));
  }
};

// Squares of f32 and narrower numbers, which f64 hold: only additions round.
struct Squares {
  static constexpr int words = 1;
  static constexpr Totals::Word place[] = {Totals::high};
  static constexpr uint32_t used = bit(Totals::high) | bit(Totals::lost);
  static constexpr int at_once = 4;
  static constexpr bool has_origin = false;
  static constexpr double fill = 0.0;
  static constexpr bool anchored = false;
  V w[words];

  struct Shared {
    V origin;
    HWY_INLINE HWY_ATTR void open(int) {}
    HWY_INLINE HWY_ATTR bool close() { return true; }
  };
  HWY_INLINE HWY_ATTR void open(const Shared&) { w[0] = hn::Zero(d64); }
  HWY_INLINE HWY_ATTR void take(V x, Shared&) { w[0] = hn::MulAdd(x, x, w[0]); }
  HWY_INLINE HWY_ATTR void prepare(Shared&) {}
  HWY_INLINE HWY_ATTR static Squares join(const Squares& a, const Squares& b) {
    return {{hn::Add(a.w[0], b.w[0])}};
  }
  // n additions of what is not negative: each rounds by 2^-53 of the sum at most.
  template <class Put>
  HWY_INLINE HWY_ATTR void finish(const Shared&, Size n, Put put) {
    put(Totals::high, w[0]);
    put(Totals::lost, hn::Mul(w[0], hn::Set(d64, static_cast<double>(n + 16) * 0x1p-52)));
  }
};

// Sums and squares of what f32 and narrower numbers differ from the origin. A difference is rounded
// by 2^-53 of itself.
struct Spread {
  static constexpr int words = 2;
  static constexpr Totals::Word place[] = {Totals::high, Totals::square};
  static constexpr uint32_t used = bit(Totals::high) | bit(Totals::lost) | bit(Totals::square) |
                                   bit(Totals::square_lost) | bit(Totals::origin);
  static constexpr int at_once = 4;
  static constexpr bool has_origin = true;
  static constexpr double fill = 0.0;
  static constexpr bool anchored = false;
  V w[words];

  struct Shared {
    V origin;
    HWY_INLINE HWY_ATTR void open(int) {}
    HWY_INLINE HWY_ATTR bool close() { return true; }
  };
  HWY_INLINE HWY_ATTR void open(const Shared&) { w[0] = w[1] = hn::Zero(d64); }
  HWY_INLINE HWY_ATTR void take(V x, Shared& s) {
    const V d = hn::Sub(x, s.origin);
    w[0] = hn::Add(w[0], d);
    w[1] = hn::MulAdd(d, d, w[1]);
  }
  HWY_INLINE HWY_ATTR void prepare(Shared&) {}
  HWY_INLINE HWY_ATTR static Spread join(const Spread& a, const Spread& b) {
    return {{hn::Add(a.w[0], b.w[0]), hn::Add(a.w[1], b.w[1])}};
  }
  // All partial sums are below the sum of |d|, which is at most sqrt(n q).
  template <class Put>
  HWY_INLINE HWY_ATTR void finish(const Shared&, Size n, Put put) {
    const auto m = static_cast<double>(n + 16);
    put(Totals::high, w[0]);
    put(Totals::square, w[1]);
    put(Totals::lost, hn::Mul(hn::Sqrt(hn::Mul(w[1], hn::Set(d64, m))), hn::Set(d64, m * 0x1p-52)));
    put(Totals::square_lost, hn::Mul(w[1], hn::Set(d64, m * 0x1p-52)));
  }
};

// Squares of f64 in two words, and with `spread` sums beside them.
template <bool spread>
struct WideSquares {
  static constexpr int words = spread ? 4 : 2;
  static constexpr Totals::Word place[] = {spread ? Totals::square : Totals::high,
                                           spread ? Totals::square_low : Totals::low, Totals::high,
                                           Totals::low};
  static constexpr uint32_t used =
      bit(Totals::high) | bit(Totals::low) | bit(Totals::lost) |
      (spread ? bit(Totals::square) | bit(Totals::square_low) | bit(Totals::square_lost) : 0);
  static constexpr int at_once = 1;
  static constexpr bool has_origin = false;
  static constexpr double fill = 0.0;
  static constexpr bool anchored = false;
  V w[words];

  struct Shared {
    V origin;
    HWY_INLINE HWY_ATTR void open(int) {}
    HWY_INLINE HWY_ATTR bool close() { return true; }
  };
  HWY_INLINE HWY_ATTR void open(const Shared&) {
    for (V& v : w) v = hn::Zero(d64);
  }
  HWY_INLINE HWY_ATTR static void add(V& high, V& low, V x) {
    const auto t = two_sum<Lanes>(high, x);
    high = t.sum;
    low = hn::Add(low, t.rest);
  }
  HWY_INLINE HWY_ATTR void take(V x, Shared&) {
    const auto p = Lanes::product(x, x);
    const auto t = two_sum<Lanes>(w[0], p.sum);
    w[0] = t.sum;
    w[1] = hn::Add(w[1], hn::Add(t.rest, p.rest));
    if constexpr (spread) add(w[2], w[3], x);
  }
  HWY_INLINE HWY_ATTR void prepare(Shared&) {}
  HWY_INLINE HWY_ATTR static WideSquares join(const WideSquares& a, const WideSquares& b) {
    WideSquares r = a;
    for (int k = 0; k < words; k += 2) {
      add(r.w[k], r.w[k + 1], b.w[k]);
      r.w[k + 1] = hn::Add(r.w[k + 1], b.w[k + 1]);
    }
    return r;
  }
  // What n steps leave out is at most 2^-53 n of the largest partial sum, which is below q, or for
  // the sum below sqrt(n q); n steps of adding that up round by 2^-53 n of it. Products below
  // 2^-969 lose bits below 2^-1074.
  template <class Put>
  HWY_INLINE HWY_ATTR void finish(const Shared&, Size n, Put put) {
    const auto m = static_cast<double>(n + 16);
    const V square_lost =
        hn::MulAdd(w[0], hn::Set(d64, m * m * 0x1p-104), hn::Set(d64, m * 0x1p-1070));
    put(spread ? Totals::square : Totals::high, w[0]);
    put(spread ? Totals::square_low : Totals::low, w[1]);
    put(spread ? Totals::square_lost : Totals::lost, square_lost);
    if constexpr (spread) {
      put(Totals::high, w[2]);
      put(Totals::low, w[3]);
      put(Totals::lost,
          hn::Mul(hn::Sqrt(hn::Mul(w[0], hn::Set(d64, m))), hn::Set(d64, m * m * 0x1p-104)));
    }
  }
};
