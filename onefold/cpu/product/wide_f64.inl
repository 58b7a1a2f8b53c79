// Products of f64 of any exponents, and sums in the same loop, in bins chosen by exponents.
//
//   method   x = y * 2^(32 g - 1024) with 2 <= |y| < 2^33, g = exponent >> 5: only bits are
//            changed, nothing is rounded. p = y y' and e = fma(y, y', -p) are cut at fixed places
//            into four values, multiples of 2^24, 2^-18, 2^-60 and 2^-102, which are added to the
//            bin g + g'; y is cut into two, multiples of 2^-9 and 2^-51
//   exact    for 2048 additions to a bin: each part is at most 2^42 of its units, and 42 + 11 = 53.
//            |e| is at most 2^12, so the second part has at most 2^41 units of p and 2^30 of e, and
//            the third 2^41 and 2^41
//   last bit y is a multiple of 2^-51, or of 2^-50 if its exponent is 0, so e is a multiple of
//   2^-102; p is one of 2^-50, and its third part is the whole remainder. With subnormals p may be
//   as fine as e
//   flush    adds bins as integers in their units: at most 2 * 2^53 each time, so 256 times make
//            2^62, after which they go to the limbs
//   |x|      twice as many bins for y; the sign chooses one
//
// Included inside the namespace of an instruction set, after ahead.inl; no include guard.

template <bool with_sum, bool with_absolute, bool pair>
class WideF64 {
 public:
  void open(int64_t* product_limb, int64_t* sum_limb, int64_t* absolute_limb) {
    product_limb_ = product_limb;
    sum_limb_ = sum_limb;
    absolute_limb_ = absolute_limb;
    used_ = false;
  }

  // Adds n finite elements or pairs, which fill whole vectors; at most `between_flushes`.
  HWY_NOINLINE HWY_ATTR void add(const double* x, const double* y, Size n) {
    if (!used_) clear();
    if (taken_ + n > between_flushes) flush();
    taken_ += n;
    const auto divide = [=](Size i, SplitProducts& to) HWY_ATTR {
      const V u = hn::LoadU(d64, x + i * N), v = pair ? hn::LoadU(d64, y + i * N) : u;
      const VU exponent = hn::Set(du64, uint64_t{0x7ff} << 52);
      auto fine = hn::Eq(hn::And(hn::BitCast(du64, u), exponent), hn::Zero(du64));
      if constexpr (pair) {
        fine = hn::Or(fine, hn::Eq(hn::And(hn::BitCast(du64, v), exponent), hn::Zero(du64)));
      }
      if (HWY_LIKELY(hn::AllFalse(du64, fine))) {
        divide_vector<false>(u, v, to);
      } else {
        divide_vector<true>(u, v, to);
      }
    };
    split_ahead<SplitProducts>(n / N, divide, [this](Size, const SplitProducts& from) HWY_ATTR {
      for (Size j = 0; j < N; j += 4) {
        put<0>(from, j, j);
        put<1>(from, j + 1, j + 2 * N);
        put<0>(from, j + 2, j + N);
        put<1>(from, j + 3, j + 3 * N);
      }
    });
  }

  HWY_ATTR void close() {
    if (!used_) return;
    flush();
    spill();
    used_ = false;
  }

 private:
  static constexpr int sets = 2;  // used in turn, so that a bin is not read right after a write
  static constexpr Size between_flushes = 2048 * sets;
  static constexpr int flushes_per_spill = 256;
  static constexpr int groups = 64;
  static constexpr int product_bins = pair ? 2 * groups : groups;
  static constexpr int sum_bins = !with_sum ? 0 : with_absolute ? 2 * groups : groups;
  // The bits of the offset, in bytes, of an element's product bin.
  static constexpr uint64_t group_mask = (groups - 1) * 32;

  struct SplitProducts {
    // In the order in which InterleaveLower and InterleaveUpper store: elements 0, 4; 2, 6; 1, 5;
    // 3, 7.
    alignas(64) double product[4 * N];
    alignas(64) double halves[2 * N];
    alignas(64) uint64_t place[N];
  };

  // Returns the number with x's bits and the group's exponent.
  template <bool fine>
  static HWY_INLINE V in_group(V x) {
    const VU bits = hn::BitCast(du64, x);
    const V y = hn::BitCast(d64, hn::Or(hn::And(bits, hn::Set(du64, 0x81ffffffffffffff)),
                                        hn::Set(du64, uint64_t{1} << 62)));
    if constexpr (!fine) return y;
    // For exponent 0 there is no hidden bit, and the weight is that of exponent 1.
    const VU rest = hn::And(bits, hn::Set(du64, uint64_t{int64_max})),
             normal = hn::Set(du64, uint64_t{1} << 52);
    const VU sign = hn::And(bits, hn::Set(du64, uint64_t{1} << 63));
    const V hidden = hn::BitCast(d64, hn::Or(sign, hn::BitCast(du64, hn::Set(d64, 4.0))));
    const auto subnormal = hn::Lt(hn::BitCast(di64, rest), hn::BitCast(di64, normal));
    return hn::IfThenElse(hn::RebindMask(d64, subnormal), hn::Sub(hn::Add(y, y), hidden), y);
  }
  // Rounds v to a multiple of 2^unit, subtracts that from v and returns it.
  template <int unit>
  static HWY_INLINE V cut(V& v) {
    const V c = hn::Set(d64, 1.5 * power_of_two(52 + unit));
    const V part = hn::Sub(hn::Add(v, c), c);
    v = hn::Sub(v, part);
    return part;
  }

  template <bool fine>
  static HWY_INLINE HWY_ATTR void divide_vector(V u, V v, SplitProducts& to) {
    const VU mask = hn::Set(du64, group_mask | (with_absolute ? uint64_t{2048} : 0));
    VU place = hn::And(hn::ShiftRight<52>(hn::BitCast(du64, u)), mask);
    const V y = in_group<fine>(u), z = pair ? in_group<fine>(v) : y;
    if constexpr (pair) {
      place = hn::Add(place, hn::And(hn::ShiftRight<52>(hn::BitCast(du64, v)), mask));
    }
    hn::Store(place, du64, to.place);
    V p = hn::Mul(y, z), e = hn::MulSub(y, z, p);
    const V c0 = cut<24>(p);
    const V c1 = hn::Add(cut<-18>(p), cut<-18>(e));
    const V p2 = fine ? cut<-60>(p) : p;
    const V c2 = hn::Add(p2, cut<-60>(e));
    const V c3 = fine ? hn::Add(p, e) : e;
    store_bins(hn::InterleaveLower(d64, c0, c1), hn::InterleaveLower(d64, c2, c3), to.product);
    store_bins(hn::InterleaveUpper(d64, c0, c1), hn::InterleaveUpper(d64, c2, c3),
               to.product + 2 * N);
    if constexpr (with_sum) {
      V low = y;
      const V high = cut<-9>(low);
      hn::Store(hn::InterleaveLower(d64, high, low), d64, to.halves);
      hn::Store(hn::InterleaveUpper(d64, high, low), d64, to.halves + N);
    }
  }
  // Stores blocks of two lanes, from a and b in turn.
  static HWY_INLINE void store_bins(V a, V b, double* to) {
    hn::Store(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a), d64, to);
    hn::Store(hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a)), d64, to + N);
  }

  template <int set>
  HWY_INLINE void put(const SplitProducts& from, Size element, Size product) {
    const hn::Full256<double> four;
    const uint64_t place = from.place[element];
    double* to = product_[set] + (with_absolute ? place & group_mask : place) / sizeof(double);
    hn::Store(hn::Add(hn::Load(four, to), hn::Load(four, from.product + product)), four, to);
    if constexpr (with_sum) {
      const hn::Full128<double> two;
      double* sum = sum_[set] + place / (2 * sizeof(double));
      const double* half = from.halves + (element % 2 == 0 ? element : N + element - 1);
      hn::Store(hn::Add(hn::Load(two, sum), hn::Load(two, half)), two, sum);
    }
  }

  static constexpr int product_units[4] = {24, -18, -60, -102};
  static constexpr int sum_units[2] = {-9, -51};

  HWY_ATTR void clear() {
    std::memset(product_, 0, sizeof product_);
    std::memset(sum_, 0, sizeof sum_);
    std::memset(product_total_, 0, sizeof product_total_);
    std::memset(sum_total_, 0, sizeof sum_total_);
    taken_ = 0;
    flushes_ = 0;
    used_ = true;
  }

  HWY_NOINLINE HWY_ATTR void flush() {
    alignas(64) double scale[8];
    for (int k = 0; k < 8; ++k) scale[k] = power_of_two(-product_units[k % 4]);
    flush_bins(product_[0], product_total_, 4 * product_bins, scale);
    for (int k = 0; k < 8; ++k) scale[k] = power_of_two(-sum_units[k % 2]);
    flush_bins(sum_[0], sum_total_, 2 * sum_bins, scale);
    taken_ = 0;
    if (++flushes_ == flushes_per_spill) spill();
  }
  // bins: all sets, n words each
  static HWY_INLINE HWY_ATTR void flush_bins(double* bins, int64_t* total, Size n,
                                             const double* scale) {
    const V by = hn::Load(d64, scale);
    for (Size j = 0; j < n; j += N) {
      VI t = hn::Load(di64, total + j);
      for (Size k = j; k < sets * n; k += n) {
        t = hn::Add(t, hn::ConvertTo(di64, hn::Mul(hn::Load(d64, bins + k), by)));
        hn::Store(hn::Zero(d64), d64, bins + k);
      }
      hn::Store(t, di64, total + j);
    }
  }

  void spill() {
    constexpr int unit = accumulator::sum<double>::unit;
    for (int j = 0; product_limb_ != nullptr && j < 4 * product_bins; ++j) {
      const int exponent = j / 4 * (pair ? 32 : 64) - 2048;
      add_to_limbs(product_limb_, 2 * unit, product_total_[j], exponent + product_units[j % 4]);
    }
    for (int j = 0; j < 2 * sum_bins; ++j) {
      const int exponent = j / 2 % groups * 32 - 1024 + sum_units[j % 2];
      const int64_t v = sum_total_[j];
      if (sum_limb_ != nullptr) add_to_limbs(sum_limb_, unit, v, exponent);
      if (with_absolute && absolute_limb_ != nullptr) {
        add_to_limbs(absolute_limb_, unit, j / 2 >= groups ? -v : v, exponent);
      }
    }
    std::memset(product_total_, 0, sizeof product_total_);
    std::memset(sum_total_, 0, sizeof sum_total_);
    flushes_ = 0;
  }

  alignas(64) double product_[sets][4 * product_bins];
  alignas(64) double sum_[sets][with_sum ? 2 * sum_bins : 1];
  alignas(64) int64_t product_total_[4 * product_bins];
  alignas(64) int64_t sum_total_[with_sum ? 2 * sum_bins : 1];
  int64_t* product_limb_;
  int64_t* sum_limb_;
  int64_t* absolute_limb_;
  Size taken_;   // since the last flush
  int flushes_;  // since the last spill
  bool used_;
};
