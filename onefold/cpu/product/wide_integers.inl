// Products of f32 or bf16 of any exponents: integer bins chosen by exponents.
//
//   method   the product of two significands, integers below 2^24, is added to the bin of the sum
//            of the exponents
//   exact    for 2^15 additions to all sets of a bin together: 48 + 15 = 63
//   sets     four, used in turn, since neighbours often share a bin
//   why      f64 bins need two halves of each product and 16 bytes per addition
//
// Included inside the namespace of an instruction set, after ahead.inl; no include guard.

template <class T, bool pair>
class WideIntegers {
 public:
  void open(int64_t* product_limb, int64_t*, int64_t*) {
    product_limb_ = product_limb;
    used_ = false;
  }

  // Adds n finite elements or pairs, in whole steps; at most `between_flushes`.
  HWY_NOINLINE HWY_ATTR void add(const T* x, const T* y, Size n) {
    if (!used_) {
      std::memset(bin_, 0, sizeof bin_);
      std::memset(total_, 0, sizeof total_);
      taken_ = 0;
      used_ = true;
    }
    if (taken_ + n > between_flushes) flush();
    taken_ += n;
    const auto multiply = [=](Size i, Products& to) HWY_ATTR {
      const Split u = split(x + i * lanes);
      Split v = u;
      VU32 place = u.exponent;
      if constexpr (pair) {
        v = split(y + i * lanes);
        place = hn::Add(place, v.exponent);
      }
      hn::Store(hn::MulEven(u.number, v.number), di64, to.even);
      hn::Store(hn::MulEven(odd_lanes(u.number), odd_lanes(v.number)), di64, to.odd);
      hn::Store(place, u32, to.place);
    };
    split_ahead<Products>(n / lanes, multiply, [this](Size, const Products& from) HWY_ATTR {
      for (Size j = 0; j < N; j += 2) {
        bin_[0][from.place[2 * j]] += from.even[j];
        bin_[1][from.place[2 * j + 1]] += from.odd[j];
        bin_[2][from.place[2 * j + 2]] += from.even[j + 1];
        bin_[3][from.place[2 * j + 3]] += from.odd[j + 1];
      }
    });
  }

  void close() {
    if (!used_) return;
    flush();
    constexpr int unit = 2 * accumulator::sum<T>::unit, lowest = 2 * accumulator::sum<float>::unit;
    for (int b = 0; product_limb_ != nullptr && b < bins; ++b) {
      add_to_limbs(product_limb_, unit, total_[b], lowest + (pair ? b : 2 * b) - 2);
    }
    used_ = false;
  }

 private:
  static constexpr FloatFormat format = float_format(dtype_of<T>);
  static constexpr hn::ScalableTag<uint32_t> u32{};
  static constexpr hn::ScalableTag<int32_t> i32{};
  using VU32 = hn::Vec<hn::ScalableTag<uint32_t>>;
  using VI32 = hn::Vec<hn::ScalableTag<int32_t>>;
  static constexpr Size lanes = 2 * N;
  static constexpr int sets = 4;
  static constexpr int bins = (pair ? 2 : 1) << format.exponent_bits;
  static constexpr Size between_flushes = Size{1} << 15;
  static_assert(format.exponent_bits == 8, "significands below 2^24 when read as f32");

  struct Products {
    alignas(64) int64_t even[N];
    alignas(64) int64_t odd[N];
    alignas(64) uint32_t place[2 * N];
  };
  struct Split {
    VI32 number;    // significand with the sign
    VU32 exponent;  // the exponent field; 1 instead of 0
  };

  static HWY_INLINE VI32 odd_lanes(VI32 v) {
    return hn::BitCast(i32, hn::ShiftRight<32>(hn::BitCast(du64, v)));
  }
  static HWY_INLINE HWY_ATTR Split split(const T* x) {
    VU32 bits;
    if constexpr (sizeof(T) == 2) {
      const hn::Rebind<uint16_t, decltype(u32)> u16;
      const auto half = hn::LoadU(u16, reinterpret_cast<const uint16_t*>(x));
      bits = hn::ShiftLeft<16>(hn::PromoteTo(u32, half));
    } else {
      bits = hn::LoadU(u32, reinterpret_cast<const uint32_t*>(x));
    }
    const VU32 one = hn::Set(u32, 1), hidden = hn::Set(u32, uint32_t{1} << 23);
    const VU32 field = hn::And(hn::ShiftRight<23>(bits), hn::Set(u32, 0xff));
    // Field 0 has no hidden bit, and the exponent of field 1.
    const VU32 exponent = hn::Max(field, one);
    const VU32 fraction = hn::And(bits, hn::Sub(hidden, one));
    const VU32 significand =
        hn::Add(fraction, hn::ShiftLeft<23>(hn::Sub(one, hn::Sub(exponent, field))));
    const VI32 sign = hn::BroadcastSignBit(hn::BitCast(i32, bits));
    VI32 number = hn::BitCast(i32, significand);
    if constexpr (pair) number = hn::Sub(hn::Xor(number, sign), sign);
    return {number, exponent};
  }

  void flush() {
    for (int b = 0; b < bins; ++b) {
      total_[b] += bin_[0][b] + bin_[1][b] + bin_[2][b] + bin_[3][b];
      bin_[0][b] = bin_[1][b] = bin_[2][b] = bin_[3][b] = 0;
    }
    taken_ = 0;
  }

  int64_t bin_[sets][bins];
  Int128 total_[bins];
  int64_t* product_limb_;
  Size taken_;  // since the last flush
  bool used_;
};
