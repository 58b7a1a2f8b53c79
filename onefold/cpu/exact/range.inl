// The range of a tile's exponents: the largest and the smallest |x| other than 0, from the bits.
//
//   method   doubling the bits drops the sign. The minimum is taken of the doubled bits less 1:
//            zero wraps round to the largest number and so drops out, and a power of two appears
//            one exponent lower
//
// Included inside the namespace of an instruction set, after vocabulary.inl; no include guard.

// For f32, or for bf16 and f16 as 16-bit integers, in full vectors.
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
  // zeros: whether zeros wrap round; if not, a zero is the smallest element
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

// The extent of a tile: all |x| < 2^above, and all x are multiples of 2^unit.
struct Extent {
  bool special;  // there are infinities or NaN; then the other members may be wrong
  bool zero;     // all elements are zero
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
  // Returns the weight of the lowest bit of a number with this exponent field: unit + field - 1.
  const auto weight = [](unsigned bits) {
    const int field = static_cast<int>(bits >> R::format.mantissa_bits);
    return R::format.unit + (field == 0 ? 1 : field) - 1;
  };
  return {.special = hi >= R::infinity,
          .zero = hi == 0,
          .above = weight(hi) + R::format.mantissa_bits + 1,
          .unit = weight(lo)};
}
