// Loads blocks of elements as f64, and computes the range of a tile's exponents.
//
//   method   a = |bits|; top = max(a), low = min(a - 1). Zero wraps to the largest number, so it
//            sets no lower bound. Integers of 16 or 32 bits; of f64 only the high words are
//            examined
//   note     low may give a power of two an exponent that is one too low
//
// Included inside the namespace of an instruction set, after vocabulary.inl; no include guard.

HWY_INLINE HWY_ATTR V load_vector(const double* x) { return hn::LoadU(d64, x); }
HWY_INLINE HWY_ATTR V load_vector(const float* x) {
  return hn::PromoteTo(d64, hn::LoadU(hn::Rebind<float, D>(), x));
}

// Four vectors of elements. Those of 16 bits may be permuted, in the same way for every array.
struct Block {
  V v[4];
};

template <class T>
HWY_INLINE HWY_ATTR Block load_block(const T* x) {
  if constexpr (sizeof(T) != 2) {
    return {{load_vector(x), load_vector(x + N), load_vector(x + 2 * N), load_vector(x + 3 * N)}};
  } else {
    const hn::ScalableTag<float> f32;
    const hn::Rebind<float, D> half;
    hn::Vec<decltype(f32)> a, b;
    if constexpr (dtype_of<T> == DType::bf16) {
      const hn::ScalableTag<uint16_t> u16;
      const hn::ScalableTag<uint32_t> u32;
      const auto w = hn::BitCast(u32, hn::LoadU(u16, reinterpret_cast<const uint16_t*>(x)));
      a = hn::BitCast(f32, hn::ShiftLeft<16>(w));
      b = hn::BitCast(f32, hn::And(w, hn::Set(u32, 0xffff0000u)));
    } else {
      const hn::Rebind<hwy::float16_t, decltype(f32)> f16;
      const auto* h = reinterpret_cast<const hwy::float16_t*>(x);
      a = hn::PromoteTo(f32, hn::LoadU(f16, h));
      b = hn::PromoteTo(f32, hn::LoadU(f16, h + 2 * N));
    }
    return {{hn::PromoteTo(d64, hn::LowerHalf(half, a)), hn::PromoteTo(d64, hn::UpperHalf(half, a)),
             hn::PromoteTo(d64, hn::LowerHalf(half, b)),
             hn::PromoteTo(d64, hn::UpperHalf(half, b))}};
  }
}

template <class T>
class Range {
 public:
  using Word = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
  static constexpr FloatFormat format = float_format(dtype_of<T>);
  static constexpr int bias = (1 << (format.exponent_bits - 1)) - 1;
  static constexpr hn::ScalableTag<Word> tag{};
  using VW = hn::Vec<hn::ScalableTag<Word>>;

  HWY_INLINE void open() {
    top_ = hn::Zero(tag);
    low_ = hn::Set(tag, static_cast<Word>(~Word{0}));
  }
  // Adds a vector of elements; returns |bits|. zeros: false: zeros count as the smallest element,
  // which saves an operation.
  template <bool top = true, bool low = true, bool zeros = true>
  HWY_INLINE VW see(const T* x) {
    const VW bits = hn::LoadU(tag, reinterpret_cast<const Word*>(x));
    VW a, less;
    if constexpr (sizeof(T) == 8) {
      const VU wide = hn::And(hn::BitCast(du64, bits), hn::Set(du64, uint64_t{int64_max}));
      a = hn::BitCast(tag, wide);
      less = zeros ? hn::BitCast(tag, hn::Sub(wide, hn::Set(du64, 1))) : a;
    } else {
      a = hn::And(bits, hn::Set(tag, static_cast<Word>(static_cast<Word>(~Word{0}) >> 1)));
      less = zeros ? hn::Sub(a, hn::Set(tag, 1)) : a;
    }
    if constexpr (top) top_ = hn::Max(top_, a);
    if constexpr (low) low_ = hn::Min(low_, less);
    return a;
  }
  // Updates only the lower bound, from f64 that are not negative.
  HWY_INLINE void see_low(V x) requires(sizeof(T) == 8) {
    low_ = hn::Min(low_, hn::BitCast(tag, x));
  }
  // Returns whether every |x| < 2^top; false for infinities and NaN. 1 - bias <= top <= format.top.
  HWY_INLINE bool below(int top) const {
    if constexpr (sizeof(T) == 8) {
      return hn::AllTrue(di64, hn::Lt(high(top_), hn::Set(di64, int64_t{top + bias} << 20)));
    } else {
      const VW most =
          hn::Set(tag, static_cast<Word>((Word(top + bias) << format.mantissa_bits) - 1));
      return hn::AllTrue(tag, hn::Eq(hn::Min(top_, most), top_));
    }
  }
  // Returns whether every nonzero |x| is at least 2^low. Subnormals count as 2^(1 - bias), since
  // their last bit is that of numbers of that exponent. For f64 they never pass: if products are
  // rounded, it is the first bit that matters.
  template <bool zeros>
  HWY_INLINE bool not_below(int low) const {
    const int field = low + bias;
    if constexpr (sizeof(T) == 8) {
      const VI least = hn::Set(di64, (int64_t{field < 1 ? 1 : field} << 20) - 1);
      return hn::AllTrue(di64, hn::Gt(high(low_), least));
    } else {
      if (zeros && field <= 1) return true;
      const VW least =
          hn::Set(tag, static_cast<Word>(Word(field < 1 ? 1 : field) << format.mantissa_bits));
      return hn::AllTrue(tag, hn::Eq(hn::Max(low_, least), low_));
    }
  }

  // Bounds for the slow path: all |x| < 2^above(), and not below 2^lowest() in the sense of
  // not_below.
  HWY_ATTR int above() const { return max_field() + 1 - bias; }
  HWY_ATTR int lowest() const {
    const int field = min_field();
    if (field == 0) return sizeof(T) == 8 ? -10000 : 1 - bias;
    return field - bias;
  }
  HWY_ATTR bool all_zero() const { return min_field() == fields - 1; }
  HWY_ATTR bool special() const { return (max_field() & inf_field) == inf_field; }

 private:
  static constexpr int inf_field = (1 << format.exponent_bits) - 1;
  // One bit more than the exponent field, since a wrapped zero has it set.
  static constexpr int fields = 2 << format.exponent_bits;

  static HWY_INLINE VI high(VW v) {
    return hn::BitCast(di64, hn::ShiftRight<32>(hn::BitCast(du64, v)));
  }
  // Lane by lane, because it is rarely called.
  template <class Better>
  HWY_ATTR int field(VW v, Better better) const {
    constexpr int count = static_cast<int>(hn::MaxLanes(hn::ScalableTag<Word>()));
    alignas(64) Word lane[count];
    hn::Store(v, tag, lane);
    constexpr int step = sizeof(T) == 8 ? 2 : 1;
    Word best = lane[step - 1];
    for (int k = step - 1; k < count; k += step) best = better(lane[k], best) ? lane[k] : best;
    return best >> (sizeof(T) == 8 ? 20 : format.mantissa_bits);
  }
  HWY_ATTR int max_field() const {
    return field(top_, [](Word a, Word b) { return a > b; });
  }
  HWY_ATTR int min_field() const {
    return field(low_, [](Word a, Word b) { return a < b; });
  }

  VW top_, low_;
};
