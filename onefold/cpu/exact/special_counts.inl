// What a sum notes for the tally: infinities, NaN, and whether some element is not -0.
//
// Included inside the namespace of an instruction set, after vocabulary.inl; no include guard.

struct SpecialCounts {
  int64_t nan = 0;
  int64_t positive_infinity = 0;
  int64_t negative_infinity = 0;
  bool not_negative_zero = false;  // some element that is neither NaN nor -0

  void add_to(int64_t* tally) const {
    using Words = accumulator::tally<double>;
    tally[Words::nan] += nan;
    tally[Words::positive_infinity] += positive_infinity;
    tally[Words::negative_infinity] += negative_infinity;
    tally[Words::not_negative_zero] += not_negative_zero ? 1 : 0;
  }
};

template <class T>
constexpr T negative_zero() {
  return bit_cast<T>(static_cast<bits_of<T>>(bits_of<T>{1} << (8 * sizeof(T) - 1)));
}

// Loads the bits of elements as signed integers, a vector at a time.
template <class T>
struct BitsOf {
  using I = std::make_signed_t<bits_of<T>>;
  static constexpr hn::ScalableTag<I> tag{};
  using Vec = hn::Vec<hn::ScalableTag<I>>;
  static constexpr Size lanes = hn::MaxLanes(hn::ScalableTag<I>());
  static constexpr I magnitude = static_cast<I>(static_cast<bits_of<T>>(~bits_of<T>{0}) >> 1);
  static constexpr I sign = static_cast<I>(~magnitude);
  static constexpr I infinity =
      static_cast<I>(((I{1} << float_format(dtype_of<T>).exponent_bits) - 1)
                     << float_format(dtype_of<T>).mantissa_bits);

  static HWY_INLINE Vec load(const T* x) { return hn::LoadU(tag, reinterpret_cast<const I*>(x)); }
  static HWY_INLINE Vec set(I v) { return hn::Set(tag, v); }
};

// Counts the infinities and NaN of n elements, which fill whole vectors. If `clean` is not null,
// copies the elements there, with -0 in place of those. Returns whether any was found.
template <class T>
HWY_NOINLINE HWY_ATTR bool count_special(const T* x, Size n, SpecialCounts& seen, T* clean) {
  using B = BitsOf<T>;
  Size nan = 0, positive = 0, negative = 0;
  for (Size i = 0; i < n; i += B::lanes) {
    const auto bits = B::load(x + i), a = hn::And(bits, B::set(B::magnitude));
    const auto special = hn::Gt(a, B::set(B::infinity - 1));
    if (clean != nullptr) {
      hn::StoreU(hn::IfThenElse(special, B::set(B::sign), bits), B::tag,
                 reinterpret_cast<typename B::I*>(clean + i));
    }
    if (HWY_LIKELY(hn::AllFalse(B::tag, special))) continue;
    nan += hn::CountTrue(B::tag, hn::Gt(a, B::set(B::infinity)));
    positive += hn::CountTrue(B::tag, hn::Eq(bits, B::set(B::infinity)));
    negative += hn::CountTrue(B::tag, hn::Eq(bits, B::set(B::infinity | B::sign)));
  }
  seen.nan += static_cast<int64_t>(nan);
  seen.positive_infinity += static_cast<int64_t>(positive);
  seen.negative_infinity += static_cast<int64_t>(negative);
  if (positive + negative != 0) seen.not_negative_zero = true;
  return nan + positive + negative != 0;
}

// Returns whether some element is neither -0 nor NaN. The first vector nearly always has one.
template <class T>
HWY_ATTR bool has_not_negative_zero(const T* x, Size n) {
  using B = BitsOf<T>;
  Size i = 0;
  for (; i + B::lanes <= n; i += B::lanes) {
    const auto bits = B::load(x + i);
    const auto no = hn::Or(hn::Eq(bits, B::set(B::sign)),
                           hn::Gt(hn::And(bits, B::set(B::magnitude)), B::set(B::infinity)));
    if (!hn::AllTrue(B::tag, no)) return true;
  }
  for (; i < n; ++i) {
    const Decoded v = decode(x[i]);
    if (!v.nan && !(v.negative && v.zero())) return true;
  }
  return false;
}
