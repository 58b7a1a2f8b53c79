// Converts f16 and bf16 to integers in one unit, if their exponents lie in a band of 15.
//
//   method   the significand times a power of two, 2^14 at most. For f16 a table by sign and
//            exponent has the power; bf16 has too many exponents for a table, so a shift computes
//            it
//   outside  zeros, subnormals, infinities, NaN and exponents outside the band
//
// Included inside the namespace of an instruction set, after vocabulary.inl, for AVX-512; no
// include guard.

// with_sign: false: the numbers are absolute values
template <class T, bool with_sign>
class Band {
  static constexpr hn::ScalableTag<uint16_t> u16{};
  static constexpr hn::ScalableTag<int16_t> i16{};

 public:
  using VU16 = hn::Vec<hn::ScalableTag<uint16_t>>;
  using VI16 = hn::Vec<hn::ScalableTag<int16_t>>;
  using Mask = hn::Mask<hn::ScalableTag<int16_t>>;
  static constexpr int exponents = 15;
  static constexpr FloatFormat format = float_format(dtype_of<T>);
  static constexpr int inf_field = (1 << format.exponent_bits) - 1;

  // An element is number * power units, and one of the two has its sign. If the element is outside
  // the band, `power` is no power of two.
  struct Numbers {
    VI16 number, power;
  };

  // Marks the band as not placed.
  void open() { lowest_ = 0; }
  bool placed() const { return lowest_ != 0; }
  // Returns the exponent of the unit.
  int unit() const { return format.unit + lowest_ - 1; }

  // Places the band around the exponents of most of n elements. Returns false, and does not place
  // it, if no element has a usable exponent.
  bool place(const T* x, Size n) {
    constexpr Size samples = 64;
    int sum = 0, count = 0;
    for (Size i = 0; i < n; i += n / samples) {
      const int field = bit_cast<bits_of<T>>(x[i]) >> format.mantissa_bits & inf_field;
      if (field == 0 || field == inf_field) continue;
      sum += field;
      ++count;
    }
    lowest_ = 0;
    if (count == 0) return false;
    // Numbers thin out slowly downwards: for N(0,1) a band that begins 10 below the mean exponent
    // contains all but 4 in 10,000.
    constexpr int below = 10;
    lowest_ = std::clamp((sum + count / 2) / count - below, 1, inf_field - exponents);
    make_constants();
    return true;
  }

  HWY_INLINE HWY_ATTR Numbers split(VU16 bits) const {
    const VI16 fraction = hn::Set(i16, (1 << format.mantissa_bits) - 1),
               hidden = hn::Set(i16, 1 << format.mantissa_bits);
    Numbers v{hn::OrAnd(hidden, hn::BitCast(i16, bits), fraction), {}};
    if constexpr (is_f16) {
      // Looks the power up by sign and exponent.
      const VU16 index = hn::ShiftRight<10>(bits);
      v.power = VI16{_mm512_permutex2var_epi16(powers_[0].raw, index.raw, powers_[1].raw)};
    } else {
      // The shift gives 0 for 16 or more, and a negative number for 15.
      const VU16 above = hn::ShiftRight<8>(hn::Sub(hn::Add(bits, bits), low_field_));
      v.power = hn::BitCast(i16, hn::Shl(hn::Set(u16, 1), above));
      if constexpr (with_sign) {
        const Mask negative = hn::MaskFromVec(hn::BitCast(i16, bits));
        v.number = hn::IfThenElse(negative, hn::Sub(hn::Zero(i16), v.number), v.number);
      }
    }
    return v;
  }
  // Marks the elements of one vector that are outside the band. For two vectors: returns whether
  // there are any.
  static HWY_INLINE Mask outside(VI16 power) {
    if constexpr (is_f16) return hn::Eq(power, hn::Zero(i16));
    return hn::Lt(power, hn::Set(i16, 1));
  }
  static HWY_INLINE bool some_outside(VI16 a, VI16 b) {
    if constexpr (is_f16) {
      const VU16 least = hn::Min(hn::BitCast(u16, a), hn::BitCast(u16, b));
      return !hn::AllFalse(i16, outside(hn::BitCast(i16, least)));
    } else {
      return !hn::AllFalse(i16, outside(hn::Min(a, b)));
    }
  }

 private:
  static constexpr bool is_f16 = std::is_same_v<T, float16>;

  HWY_NOINLINE HWY_ATTR void make_constants() {
    if constexpr (is_f16) {
      alignas(64) int16_t table[64] = {};
      for (int k = 0; k < exponents; ++k) {
        const auto power = static_cast<int16_t>(1 << k);
        table[lowest_ + k] = power;
        table[32 + lowest_ + k] = with_sign ? static_cast<int16_t>(-power) : power;
      }
      powers_[0] = hn::Load(i16, table);
      powers_[1] = hn::Load(i16, table + 32);
    } else {
      low_field_ = hn::Set(u16, static_cast<uint16_t>(lowest_ << 8));
    }
  }

  int lowest_;  // exponent field
  VI16 powers_[2];
  VU16 low_field_;
};
