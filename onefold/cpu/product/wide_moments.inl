// Squares and sums of f32 or bf16 of any exponents: both at once, by integers, in bins chosen by
// sign and exponent.
//
//   method   m is the significand, an integer below 2^24 (f32) or 2^8 (bf16). f32 adds m^2 and m
//            together, 16 bytes. bf16 adds both in one word, m^2 + 2^32 m
//   exact    for 2^15 additions to all sets of a bin together: 48 + 15 = 63 bits; bf16 16 + 15 = 31
//            in the lower half, 8 + 15 in the upper
//   sets     used in turn, since neighbours often share a bin; they fill half of L1
//   why      separate bins for m^2 and m take two additions to memory per element: var of random
//            bits from L2 (Zen 4), f32 4.0 instead of 5.4 and bf16 2.2 instead of 3.6 GB/s
//
// Included inside the namespace of an instruction set, after ahead.inl; no include guard.

template <class T>
class WideMoments {
 public:
  void open(int64_t* product_limb, int64_t* sum_limb, int64_t* absolute_limb) {
    product_limb_ = product_limb;
    sum_limb_ = sum_limb;
    absolute_limb_ = absolute_limb;
    used_ = false;
  }

  // Adds n finite elements, which fill whole vectors; at most `between_flushes`.
  HWY_NOINLINE HWY_ATTR void add(const T* x, const T*, Size n) {
    if (!used_) {
      std::memset(bin_, 0, sizeof bin_);
      std::memset(square_, 0, sizeof square_);
      std::memset(number_, 0, sizeof number_);
      taken_ = 0;
      used_ = true;
    }
    if (taken_ + n > between_flushes) flush();
    taken_ += n;
    split_ahead<SplitValues>(
        n / lanes, [x](Size i, SplitValues& to) HWY_ATTR { split(x + i * lanes, to); },
        [this](Size, const SplitValues& from) HWY_ATTR {
#pragma GCC unroll 4
          for (Size j = 0; j < lanes; j += 4) {
            put(bin_[0], from, j, 0);
            put(bin_[1], from, j, 1);
            put(bin_[2 % sets], from, j, 2);
            put(bin_[3 % sets], from, j, 3);
          }
        });
  }

  void close() {
    if (!used_) return;
    flush();
    constexpr int unit = accumulator::sum<T>::unit;
    for (int b = 0; b < bins; ++b) {
      const int e = b % exponents, weight = e == 0 ? 0 : e - 1;
      if (product_limb_ != nullptr) {
        add_to_limbs(product_limb_, 2 * unit, square_[b], 2 * (unit + weight));
      }
      const int64_t v = number_[b];
      if (sum_limb_ != nullptr)
        add_to_limbs(sum_limb_, unit, b < exponents ? v : -v, unit + weight);
      if (absolute_limb_ != nullptr) add_to_limbs(absolute_limb_, unit, v, unit + weight);
    }
    used_ = false;
  }

 private:
  static constexpr FloatFormat format = float_format(dtype_of<T>);
  static_assert(format.exponent_bits == 8);
  static constexpr bool one_word = sizeof(T) == 2;
  static constexpr hn::ScalableTag<uint32_t> u32{};
  using VU32 = hn::Vec<hn::ScalableTag<uint32_t>>;
  static constexpr Size lanes = 2 * N;
  static constexpr int exponents = 1 << format.exponent_bits;
  static constexpr int bins = 2 * exponents;
  static constexpr int words = one_word ? 1 : 2;
  static constexpr int sets = one_word ? 4 : 2;
  static constexpr int shift = one_word ? 0 : 4;
  static constexpr Size between_flushes = Size{1} << 15;

  // f32: m^2 and m of the elements 4 k, 4 k + 2, 4 k + 1, 4 k + 3 of each block k. bf16: of even
  // elements, then of odd ones.
  struct SplitValues {
    alignas(64) uint64_t value[words * lanes];
    alignas(64) uint32_t place[lanes];  // the bin, for f32 times 16 so that an address needs no
                                        // shift
  };

  static HWY_INLINE HWY_ATTR void split(const T* x, SplitValues& to) {
    VU32 bits;
    if constexpr (one_word) {
      const hn::Rebind<uint16_t, decltype(u32)> u16;
      bits = hn::PromoteTo(u32, hn::LoadU(u16, reinterpret_cast<const uint16_t*>(x)));
    } else {
      bits = hn::LoadU(u32, reinterpret_cast<const uint32_t*>(x));
    }
    constexpr uint32_t hidden = uint32_t{1} << format.mantissa_bits;
    const VU32 fraction = hn::And(bits, hn::Set(u32, hidden - 1));
    const VU32 exponent = hn::And(bits, hn::Set(u32, uint32_t{exponents - 1} * hidden));
    const auto subnormal = hn::Eq(exponent, hn::Zero(u32));
    const VU32 place = hn::And(hn::ShiftRight<format.mantissa_bits - shift>(bits),
                               hn::Set(u32, uint32_t{bins - 1} << shift));
    const VU32 m = hn::IfThenElse(subnormal, fraction, hn::Or(fraction, hn::Set(u32, hidden)));
    const VU32 odd = hn::BitCast(u32, hn::ShiftRight<32>(hn::BitCast(du64, m)));
    const VU even_square = hn::MulEven(m, m), odd_square = hn::MulEven(odd, odd);
    hn::Store(place, u32, to.place);
    if constexpr (one_word) {
      const VU high = hn::Set(du64, ~uint64_t{0} << 32);
      const VU wide = hn::BitCast(du64, m);
      hn::Store(hn::Or(even_square, hn::ShiftLeft<32>(wide)), du64, to.value);
      hn::Store(hn::Or(odd_square, hn::And(wide, high)), du64, to.value + N);
    } else {
      const VU even = hn::And(hn::BitCast(du64, m), hn::Set(du64, 0xffffffff)),
               other = hn::BitCast(du64, odd);
      hn::Store(hn::InterleaveLower(du64, even_square, even), du64, to.value);
      hn::Store(hn::InterleaveUpper(du64, even_square, even), du64, to.value + N);
      hn::Store(hn::InterleaveLower(du64, odd_square, other), du64, to.value + 2 * N);
      hn::Store(hn::InterleaveUpper(du64, odd_square, other), du64, to.value + 3 * N);
    }
  }

  // Adds element j + k of a vector to its bin; j is a multiple of 4.
  static HWY_INLINE HWY_ATTR void put(uint64_t* bin, const SplitValues& from, Size j, Size k) {
    const Size place = from.place[j + k];
    if constexpr (one_word) {
      bin[place] += from.value[(k % 2) * N + (j + k) / 2];
    } else {
      const hn::Full128<uint64_t> two;
      const uint64_t* value = from.value + (k % 2 * 2 + k / 2) * N + j / 2;
      auto* to = reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(bin) + place);
      hn::Store(hn::Add(hn::Load(two, to), hn::Load(two, value)), two, to);
    }
  }

  void flush() {
    for (int b = 0; b < bins; ++b) {
      for (int s = 0; s < sets; ++s) {
        uint64_t* v = bin_[s] + words * b;
        square_[b] += one_word ? *v & 0xffffffff : v[0];
        number_[b] += static_cast<int64_t>(one_word ? *v >> 32 : v[words - 1]);
        std::memset(v, 0, words * sizeof *v);
      }
    }
    taken_ = 0;
  }

  alignas(64) uint64_t bin_[sets][words * bins];
  Int128 square_[bins];
  int64_t number_[bins];
  int64_t* product_limb_;
  int64_t* sum_limb_;
  int64_t* absolute_limb_;
  Size taken_;  // since the last flush
  bool used_;
};
