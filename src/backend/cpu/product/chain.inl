// Chains: f64 accumulators, each 46 bits below the one before, that take values whole.
//
//   levels   level k has the unit 2^(top - 45 - 46 k) and starts at 1.5 * 2^52 units; every value
//            is below 2^top, that is 2^45 units of level 0
//   method   t = a + x; x -= t - a; a = t on every level but the last, which is a plain a += x
//   exact    for 64 additions of values that are multiples of the last level's unit: what a level
//            leaves is at most half a unit, 2^45 units of the next, and 64 * 2^45 = 2^51, so no
//            level leaves [2^52, 2^53] units, where every multiple of the unit is an f64
//   product  level 0 by t = fma(x, y, a); r = fma(x, y, -(t - a)). r is exact if x y has 48 bits or
//            less: below half a unit r = x y; else its last bit is at least 2^-47 of that, and
//            |r| is at most half a unit
//   flush    bits(a) - bits(start) is the sum in units, an integer, at most 2^51 a lane
//   pipes    two pipes add and two multiply: of each three additions one is an fma by 1
//
// Included inside the namespace of an instruction set, after exact_sum.inl; no include guard.

constexpr int chain_additions = 64;
constexpr int level_exponent(int top, int level) { return top - 45 - 46 * level; }

template <int depth>
struct Chain {
  V a, b, c;

  HWY_INLINE void add(V x, V one) {
    if constexpr (depth == 1) {
      a = hn::Add(a, x);
    } else {
      into_window(a, x, one);
      rest(x, one);
    }
  }
  // The same, with one operation more on the adders.
  HWY_INLINE void add_by_adders(V x, V one) {
    const V t = hn::Add(a, x);
    x = hn::Sub(x, hn::Sub(t, a));
    a = t;
    rest(x, one);
  }
  // The same on two levels; returns what went to each.
  struct Parts {
    V high, low;
  };
  HWY_INLINE Parts add_parts(V x, V one) {
    const V t = hn::Add(a, x);
    const V high = hn::Sub(t, a), low = hn::NegMulAdd(high, one, x);
    a = t;
    b = hn::MulAdd(low, one, b);
    return {high, low};
  }
  template <class Mask>
  HWY_INLINE void add_where(Mask mask, Parts x, V one) {
    a = hn::IfThenElse(mask, hn::Add(a, x.high), a);
    b = hn::IfThenElse(mask, hn::MulAdd(x.low, one, b), b);
  }
  HWY_INLINE void add_product(V x, V y, V one) {
    const V t = hn::MulAdd(x, y, a);
    V r = hn::MulSub(x, y, hn::Sub(t, a));
    a = t;
    if constexpr (depth == 2) {
      b = hn::Add(b, r);
    } else {
      rest(r, one);
    }
  }

 private:
  HWY_INLINE void rest(V x, V one) {
    if constexpr (depth == 3) {
      into_window(b, x, one);
      c = hn::MulAdd(x, one, c);
    } else {
      b = hn::MulAdd(x, one, b);
    }
  }
};

template <int depth>
HWY_INLINE Chain<depth> start_chain(int top) {
  const auto start = [top](int level) HWY_ATTR {
    return hn::Set(d64, 1.5 * power_of_two(level_exponent(top, level) + 52));
  };
  Chain<depth> c;
  c.a = start(0);
  if constexpr (depth > 1) c.b = start(1);
  if constexpr (depth > 2) c.c = start(2);
  return c;
}

// The levels' sums in their units, an integer a lane: 2^53 a tile of four sets at most, so 64 tiles
// are 2^59 a lane and 2^62 over 8 lanes.
constexpr int tiles_per_spill = 64;

struct Totals {
  VI s0, s1, s2;

  HWY_INLINE void clear() { s0 = s1 = s2 = hn::Zero(di64); }

  template <int depth, int sets>
  HWY_INLINE HWY_ATTR void take(const Chain<depth> (&c)[sets], const Chain<depth>& start) {
    s0 = hn::Add(s0, units<sets>(start.a, c[0].a, c[1 % sets].a, c[2 % sets].a, c[3 % sets].a));
    if constexpr (depth > 1) {
      s1 = hn::Add(s1, units<sets>(start.b, c[0].b, c[1 % sets].b, c[2 % sets].b, c[3 % sets].b));
    }
    if constexpr (depth > 2) {
      s2 = hn::Add(s2, units<sets>(start.c, c[0].c, c[1 % sets].c, c[2 % sets].c, c[3 % sets].c));
    }
  }
  // all - 2 * this: from the sum of negative elements to that of absolute values. A lane may have
  // three times as much then, which is below 2^62 for the two sets of those who use it.
  HWY_INLINE void difference(const Totals& all) {
    s0 = hn::Sub(all.s0, hn::ShiftLeft<1>(s0));
    s1 = hn::Sub(all.s1, hn::ShiftLeft<1>(s1));
  }
  // limb: null if nobody wants it.
  HWY_ATTR void spill(int64_t* limb, int unit, int top) {
    if (limb != nullptr) {
      add_to_limbs(limb, unit, sum_lanes(s0), level_exponent(top, 0));
      add_to_limbs(limb, unit, sum_lanes(s1), level_exponent(top, 1));
      add_to_limbs(limb, unit, sum_lanes(s2), level_exponent(top, 2));
    }
    clear();
  }

 private:
  template <int sets>
  static HWY_INLINE VI units(V start, V a, V b, V c, V e) {
    const VI m = bits_of_vector(start);
    if constexpr (sets == 1) {
      return hn::Sub(bits_of_vector(a), m);
    } else {
      const VI two = hn::Add(bits_of_vector(a), bits_of_vector(b));
      if constexpr (sets == 2) return hn::Sub(two, hn::ShiftLeft<1>(m));
      return hn::Sub(hn::Add(two, hn::Add(bits_of_vector(c), bits_of_vector(e))),
                     hn::ShiftLeft<2>(m));
    }
  }
};
