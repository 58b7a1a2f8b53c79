// Counted bins: exact sums of f32 and bf16 of any exponent, by integers.
//
//   method   a bin for each sign and exponent. For each element the bin gets its bits + 2^48, so
//            that the upper 16 bits count elements. The sum of the fractions is the sum of the bits
//            less count * exponent
//   exact    for 2^16 additions to a bin: bits are below 2^32
//   sets     four, used in turn: neighbours often share a bin, and the load of one must not wait
//            for the store of the other (2 of 3 cycles an element for N(0,1))
//   special  infinities and NaN are left out
//   why      one 64-bit addition in memory per element. 16 f64 bins took two loads and a conversion
//            (f32 random bits in L2, Zen 4: 7.6 instead of 12 GB/s)
//
// Included inside the namespace of an instruction set, after vocabulary.inl; no include guard.

template <class T>
class CountedBins {
  static constexpr FloatFormat format = float_format(dtype_of<T>);
  static constexpr int exponents = 1 << format.exponent_bits;
  static constexpr int bins = 2 * exponents;
  static constexpr int sets = 4;
  static constexpr Size per_line = 64 / sizeof(T);
  static constexpr Size between_flushes = Size{1} << 16;

 public:
  void open() { used_ = false; }

  // Adds n elements, a multiple of 4 and at most 2^16. Returns true if there were infinities or
  // NaN.
  bool add(const T* x, Size n) {
    if (!used_) {
      std::memset(bin_, 0, sizeof bin_);
      std::memset(total_, 0, sizeof total_);
      used_ = true;
      taken_ = 0;
    }
    if (taken_ + n > between_flushes) flush();
    taken_ += n;
    const uint64_t before = special();
    for (Size i = 0; i < n; i += sets) {
      if (i % per_line == 0) prefetch(x + i, 64, far_ahead);
      put(bin_[0], x[i]);
      put(bin_[1], x[i + 1]);
      put(bin_[2], x[i + 2]);
      put(bin_[3], x[i + 3]);
    }
    return special() != before;
  }

  // Adds the sum to `limb`, and the sum of absolute values to `absolute_limb` unless it is null.
  void spill(int64_t* limb, int64_t* absolute_limb) {
    if (!used_) return;
    flush();
    for (int b = 0; b < bins; ++b) {
      const int e = b % exponents, weight = e == 0 ? 0 : e - 1;
      if (e == exponents - 1) continue;
      if (limb != nullptr) add_to_limbs(limb, 0, b < exponents ? total_[b] : -total_[b], weight);
      if (absolute_limb != nullptr) add_to_limbs(absolute_limb, 0, total_[b], weight);
    }
    used_ = false;
  }

 private:
  HWY_INLINE static void put(uint64_t* bin, T x) {
    const uint64_t bits = bit_cast<bits_of<T>>(x);
    bin[bits >> format.mantissa_bits] += bits + (uint64_t{1} << 48);
  }
  // Returns a number that changes when an infinity or NaN is added.
  uint64_t special() const {
    uint64_t sum = 0;
    for (int s = 0; s < sets; ++s) {
      sum += (bin_[s][exponents - 1] >> 48) + (bin_[s][bins - 1] >> 48);
    }
    return sum;
  }
  // Moves the bins' sums to totals: fractions with the hidden bit, in units of the smallest
  // subnormal times 2^(exponent - 1). A fraction is at most 2^24, so totals hold 2^30 elements.
  void flush() {
    constexpr uint64_t low = (uint64_t{1} << 48) - 1;
    constexpr uint64_t hidden = uint64_t{1} << format.mantissa_bits;
    for (int b = 0; b < bins; ++b) {
      uint64_t count = 0, sum = 0;
      for (int s = 0; s < sets; ++s) {
        count += bin_[s][b] >> 48;
        sum += bin_[s][b] & low;
        bin_[s][b] = 0;
      }
      const auto index = static_cast<uint64_t>(b);
      sum -= count * (index << format.mantissa_bits);
      if (index % exponents != 0) sum += count * hidden;
      total_[b] += static_cast<int64_t>(sum);
    }
    taken_ = 0;
  }

  uint64_t bin_[sets][bins];
  int64_t total_[bins];
  Size taken_;
  bool used_;
};
