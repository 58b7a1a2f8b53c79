// The exponents of a tile: largest and smallest |x| other than 0, from the bits.
//
//   method   the bits doubled are without sign; the smallest is looked for less 1: zero wraps round
//            and drops out, and a power of two comes out one exponent low
//
// Included inside the namespace of an instruction set, after vocabulary.inl; no include guard.

// f32, or bf16 and f16 as 16-bit integers, in full vectors.
template <class T>
struct Range {
  using B = bits_of<T>;
  using Tag = hn::ScalableTag<B>;
  using Vec = hn::Vec<Tag>;
  static constexpr FloatFormat format = float_format(dtype_of<T>);
  static constexpr B infinity =
      static_cast<B>(((B{1} << format.exponent_bits) - 1) << format.mantissa_bits);

  Vec greatest, least;

  HWY_INLINE void open() {
    greatest = hn::Zero(Tag());
    least = hn::Set(Tag(), static_cast<B>(~B{0}));
  }
  HWY_INLINE void see(Vec bits) { see_doubled(hn::Add(bits, bits)); }
  // zeros: that they wrap; without, a zero is the smallest of all.
  template <bool zeros = true>
  HWY_INLINE void see_doubled(Vec a) {
    greatest = hn::Max(greatest, a);
    least = hn::Min(least, zeros ? hn::Sub(a, hn::Set(Tag(), 1)) : a);
  }
  HWY_INLINE void see(const Range& o) {
    greatest = hn::Max(greatest, o.greatest);
    least = hn::Min(least, o.least);
  }
  HWY_INLINE static Vec load(const T* x) { return hn::LoadU(Tag(), reinterpret_cast<const B*>(x)); }
};

// What a range came to: all |x| < 2^above, multiples of 2^unit.
struct Extent {
  bool special;  // there are infinities or NaN; the rest holds for the other elements or not at all
  bool zero;     // nothing but zeros
  int above;
  int unit;
  HWY_INLINE int bits() const { return above - unit; }
};

template <class T>
HWY_INLINE HWY_ATTR Extent extent_of(const Range<T>& r) {
  using R = Range<T>;
  const typename Range<T>::Tag tag;
  const unsigned hi = hn::GetLane(hn::MaxOfLanes(tag, r.greatest)) >> 1;
  const unsigned lo = hn::GetLane(hn::MinOfLanes(tag, r.least)) >> 1;
  // unit + field - 1: the weight of the lowest bit of a number with that exponent field.
  const auto weight = [](unsigned bits) {
    const int field = static_cast<int>(bits >> R::format.mantissa_bits);
    return R::format.unit + (field == 0 ? 1 : field) - 1;
  };
  return {.special = hi >= R::infinity,
          .zero = hi == 0,
          .above = weight(hi) + R::format.mantissa_bits + 1,
          .unit = weight(lo)};
}
