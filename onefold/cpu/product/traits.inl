// The constants that distinguish the loops over products.
//
// Included inside the namespace of an instruction set, after chain.inl; no include guard.

enum Part : unsigned { part_sum = 1, part_absolute = 2, part_extremes = 4, part_pair = 8 };

struct NoExtremes {
  struct Tile {
    void open() {}
  };
};

struct NoWide {};

template <class T, unsigned parts>
struct ProductTraits {
  static constexpr FloatFormat format = float_format(dtype_of<T>);
  static constexpr bool is_double = sizeof(T) == 8;
  static constexpr bool with_sum = (parts & part_sum) != 0;
  static constexpr bool with_absolute = (parts & part_absolute) != 0;
  static constexpr bool with_extremes = (parts & part_extremes) != 0;
  static constexpr bool pair = (parts & part_pair) != 0;

  using Best = std::conditional_t<with_extremes, Extremes<T>, NoExtremes>;

  // Vectors per step, and accumulators per chain. 512-bit vectors have 32 registers. One set of
  // accumulators suffices if a step has more operations than a chain has latency.
  static constexpr int vectors = is_double ? 2 : 4;
  static constexpr bool wide_registers = N == 8;
  static constexpr int sets = with_absolute ? (wide_registers ? 2 : 1)
                              : is_double
                                  ? (wide_registers ? 2 : 1)
                                  : (wide_registers || (parts == 0 && sizeof(T) == 4) ? 4 : 2);
  // Computes the sum of |x| as that of x less twice that of its negative elements, by masked
  // additions.
  static constexpr bool by_sign = with_absolute && is_double && wide_registers;
  static constexpr Size step = vectors * N;
  static constexpr Size tile = chain_additions * sets * N;

  // Products have chains of two, three or five levels. `budget` says how far the exponents of x and
  // y, added up, may lie below their anchors so that everything is a multiple of the last level's
  // unit. With m bits of mantissa, x y is a multiple of 2^(ex + ey - 2 m). For f64, p is a multiple
  // of 2^(ex + ey - 52) and e of 2^(ex + ey - 104), and the chain of e lies 54 bits lower. The
  // chain of x needs that x is a multiple of 2^(ex - m).
  static constexpr int most_levels = 5;
  static constexpr int levels_of_sum(int depth) {
    return is_double ? (depth == 5 ? 3 : 2) : (depth + 1) / 2;
  }
  static constexpr int budget(int depth) {
    const int m = format.mantissa_bits;
    const int of_products = reach(depth) - (is_double ? m : 2 * m);
    const int of_sum = 2 * (reach(levels_of_sum(depth)) - m);
    return with_sum && of_sum < of_products ? of_sum : of_products;
  }
  // Returns the number of bits from a chain's top down to its last unit.
  static constexpr int reach(int levels) { return -level_exponent(0, levels - 1); }
  // The anchor of squares may be one above the type's largest exponent. Squares are proven without
  // the largest element (Tile::squares_fit), so the best anchor is one bit above it.
  static constexpr int highest_anchor = format.top + (pair ? 0 : 1);
  // Whether two levels suffice for all elements of the type.
  static constexpr bool takes_all =
      2 * (highest_anchor - (format.unit + format.mantissa_bits)) <= budget(2);
  // The bins that take tiles too wide for any chain.
  using Wide = std::conditional_t<
      is_double, WideF64<with_sum, with_absolute, pair>,
      std::conditional_t<takes_all, NoWide,
                         std::conditional_t<with_sum, WideMoments<T>, WideIntegers<T, pair>>>>;
};
