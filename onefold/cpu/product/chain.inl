// Chains: f64 accumulators (levels), each 46 bits below the one before, that together add values
// without error.
//
//   levels   level k has the unit 2^(top - 45 - 46 k) and starts at 1.5 * 2^52 units; every value
//            is below 2^top, that is 2^45 units of level 0
//   method   t = a + x; x -= t - a; a = t on every level but the last, which is a plain a += x
//   exact    for 64 additions of multiples of the last level's unit. The remainder of a level is at
//            most half a unit, 2^45 units of the next; 64 * 2^45 = 2^51, so no level leaves [2^52,
//            2^53] units, where every multiple of the unit is an f64
//   product  level 0 by t = fma(x, y, a); r = fma(x, y, -(t - a)). r is exact if x y has 48 bits or
//            less: if x y is below half a unit, r = x y; else its last bit is at least 2^-47 of it,
//            and |r| is at most half a unit
//   flush    bits(a) - bits(start) is the sum in units, an integer, at most 2^51 per lane
//   pipes    two pipes add and two multiply: one of three additions is an fma by 1
//
// Included inside the namespace of an instruction set, after window.inl; no include guard.

constexpr int chain_additions = 64;
constexpr int level_exponent(int top, int level) { return top - 45 - 46 * level; }

template <int depth>
struct Chain {
  V a;
  Chain<depth - 1> rest;

  HWY_INLINE void add(V x, V one) {
    into_window(a, x, one);
    rest.add(x, one);
  }
  // Does the same with only additions.
  HWY_INLINE void add_by_adders(V x, V one) {
    const V t = hn::Add(a, x);
    x = hn::Sub(x, hn::Sub(t, a));
    a = t;
    rest.add(x, one);
  }
  // by_multipliers: the last addition is an fma, for loops that leave the multipliers idle
  template <bool by_multipliers>
  HWY_INLINE void add_product(V x, V y, V one) {
    const V t = hn::MulAdd(x, y, a);
    const V r = hn::MulSub(x, y, hn::Sub(t, a));
    a = t;
    if constexpr (depth == 2) {
      rest.a = by_multipliers ? hn::MulAdd(r, one, rest.a) : hn::Add(rest.a, r);
    } else {
      rest.add(r, one);
    }
  }
  // The amounts that two levels added, for an addition under a mask.
  struct LevelAmounts {
    V high, low;
  };
  HWY_INLINE LevelAmounts add_parts(V x, V one) {
    const V t = hn::Add(a, x);
    const V high = hn::Sub(t, a), low = hn::NegMulAdd(high, one, x);
    a = t;
    rest.add(low, one);
    return {high, low};
  }
  template <class Mask>
  HWY_INLINE void add_where(Mask mask, LevelAmounts x, V one) {
    a = hn::IfThenElse(mask, hn::Add(a, x.high), a);
    rest.a = hn::IfThenElse(mask, hn::MulAdd(x.low, one, rest.a), rest.a);
  }
};
template <>
struct Chain<1> {
  V a;
  HWY_INLINE void add(V x, V one) { a = hn::MulAdd(x, one, a); }
};

template <int depth>
HWY_INLINE HWY_ATTR Chain<depth> start_chain(int top, int level = 0) {
  Chain<depth> c;
  c.a = hn::Set(d64, 1.5 * power_of_two(level_exponent(top, level) + 52));
  if constexpr (depth > 1) c.rest = start_chain<depth - 1>(top, level + 1);
  return c;
}

// The levels' sums in their units, one integer per lane. A tile of four sets adds at most 2^53, so
// 64 tiles make 2^59 per lane and 2^62 over 8 lanes.
constexpr int tiles_per_spill = 64;

template <int levels>
struct LevelSums {
  VI sum[levels];

  HWY_INLINE void clear() {
    for (VI& s : sum) s = hn::Zero(di64);
  }

  template <int depth, int sets>
  HWY_INLINE HWY_ATTR void take(const Chain<depth> (&c)[sets], const Chain<depth>& start) {
    take_level<0, sets>(c[0], c[1 % sets], c[2 % sets], c[3 % sets], start);
  }
  // Sets all - 2 * this: turns the sum of negative elements into that of absolute values. A lane
  // may then hold three times as much; for the callers' two sets that is below 2^62.
  HWY_INLINE void difference(const LevelSums& all) {
    for (int k = 0; k < levels; ++k) sum[k] = hn::Sub(all.sum[k], hn::ShiftLeft<1>(sum[k]));
  }
  // limb: null if the sum is not needed
  HWY_ATTR void spill(int64_t* limb, int unit, int top) {
    if (limb != nullptr) {
      for (int k = 0; k < levels; ++k) {
        add_to_limbs(limb, unit, sum_lanes(sum[k]), level_exponent(top, k));
      }
    }
    clear();
  }

 private:
  template <int level, int sets, int depth>
  HWY_INLINE HWY_ATTR void take_level(const Chain<depth>& a, const Chain<depth>& b,
                                      const Chain<depth>& c, const Chain<depth>& e,
                                      const Chain<depth>& start) {
    sum[level] = hn::Add(sum[level], units<sets>(start.a, a.a, b.a, c.a, e.a));
    if constexpr (depth > 1) {
      take_level<level + 1, sets>(a.rest, b.rest, c.rest, e.rest, start.rest);
    }
  }
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
