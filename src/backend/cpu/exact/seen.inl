// What a sum sees of interest to a tally.
//
// Included inside the namespace of an instruction set, after vocabulary.inl; no include guard.

struct Seen {
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

// Counts infinities and NaN; where `clean` is not null, copies the elements with -0 for them.
// n: a multiple of 4 N. True if there were any.
template <class T>
HWY_NOINLINE HWY_ATTR bool count_special(const T* x, Size n, Seen& seen, T* clean) {
  using U = bits_of<T>;
  const hn::ScalableTag<std::make_signed_t<U>> tag;
  using B = hn::TFromD<decltype(tag)>;
  constexpr FloatFormat f = float_format(dtype_of<T>);
  constexpr U infinity = static_cast<U>(((U{1} << f.exponent_bits) - 1) << f.mantissa_bits);
  constexpr U sign = bit_cast<U>(negative_zero<T>());
  const auto magnitude = hn::Set(tag, static_cast<B>(~sign)),
             largest = hn::Set(tag, static_cast<B>(infinity - 1)),
             infinite = hn::Set(tag, static_cast<B>(infinity)),
             minus = hn::Set(tag, static_cast<B>(infinity | sign)),
             zero = hn::Set(tag, static_cast<B>(sign));
  Size specials = 0, nans = 0, negatives = 0;
  for (Size i = 0; i < n; i += hn::Lanes(tag)) {
    const auto bits = hn::LoadU(tag, reinterpret_cast<const B*>(x + i));
    const auto a = hn::And(bits, magnitude);
    const auto special = hn::Gt(a, largest);
    specials += hn::CountTrue(tag, special);
    nans += hn::CountTrue(tag, hn::Gt(a, infinite));
    negatives += hn::CountTrue(tag, hn::Eq(bits, minus));
    if (clean != nullptr) {
      hn::StoreU(hn::IfThenElse(special, zero, bits), tag, reinterpret_cast<B*>(clean + i));
    }
  }
  seen.nan += static_cast<int64_t>(nans);
  seen.positive_infinity += static_cast<int64_t>(specials - nans - negatives);
  seen.negative_infinity += static_cast<int64_t>(negatives);
  if (specials != nans) seen.not_negative_zero = true;
  return specials != 0;
}

// Sets the flag if something is neither -0 nor NaN. The first element nearly always is.
template <class T>
void look_for_zeros(const T* x, Size n, Seen& seen) {
  using U = bits_of<T>;
  constexpr FloatFormat f = float_format(dtype_of<T>);
  constexpr U sign = bit_cast<U>(negative_zero<T>());
  constexpr U infinity = static_cast<U>(((U{1} << f.exponent_bits) - 1) << f.mantissa_bits);
  for (Size i = 0; i < n && !seen.not_negative_zero; ++i) {
    const U bits = bit_cast<U>(x[i]);
    seen.not_negative_zero = bits != sign && (bits & static_cast<U>(~sign)) <= infinity;
  }
}
