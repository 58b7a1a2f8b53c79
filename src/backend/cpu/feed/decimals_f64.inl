// Sums of f64 as decimals.
//
//   tile     with one power of ten: each element times 10^k, rounded to an integer of 15 digits,
//            is its decimal if a division by 10^k gives the element back (exact/decimal.hpp)
//   others   each by itself, by its own power of ten
//   k        after a tile with many others, the most decimals of that tile, fewer where its largest
//            element has no room

class Decimals {
 public:
  using Element = double;

  HWY_ATTR void open(int64_t* const* words) {
    words_ = words[static_cast<int>(Accumulator::decimal)];
  }

  HWY_ATTR void run(const double* x, Size n, Size) {
    while (n != 0) {
      const Size m = n < tile ? n : tile;
      add_tile(x, m);
      x += m;
      n -= m;
    }
  }

  void close() { bins_.add_to(words_); }

 private:
  static constexpr Size tile = 256;
  static constexpr int tiles_between_looks = 16;
  static constexpr double magic = 0x1.8p52;

  HWY_ATTR void add_tile(const double* x, Size n) {
    const V power = hn::Set(d64, decimal::power_of_ten(k_)), shift = hn::Set(d64, magic);
    const V most = hn::Set(d64, decimal::most_digits);
    const VI offset = bits_of_vector(shift);
    VI sum = hn::Zero(di64);
    Size misfits = 0;
    const auto add = [&](const double* from) HWY_ATTR {
      const V v = hn::LoadU(d64, from);
      const V shifted = hn::Add(hn::Mul(v, power), shift);
      const V digits = hn::Sub(shifted, shift);
      const auto good = hn::And(hn::Eq(hn::Div(digits, power), v), hn::Le(hn::Abs(digits), most));
      const VI integer = hn::Sub(bits_of_vector(shifted), offset);
      sum = hn::Add(sum, hn::IfThenElseZero(hn::RebindMask(di64, good), integer));
      if (HWY_UNLIKELY(!hn::AllTrue(d64, good))) {
        uint8_t bits[8] = {};
        hn::StoreMaskBits(d64, good, bits);
        misfits += add_others(from, bits[0]);
      }
    };
    Size i = 0;
    for (; i + N <= n; i += N) add(x + i);
    if (i < n) {
      double rest[N] = {};
      for (Size k = i; k < n; ++k) rest[k - i] = x[k];
      add(rest);
    }
    bins_.add(static_cast<Int128>(sum_lanes(sum)), -k_);
    if (misfits * 8 <= n) return;
    if (--until_look_ >= 0) return;
    k_ = decimals_of(x, n);
    until_look_ = tiles_between_looks;
  }

  // Adds the elements of a vector that are not marked, one by one; how many they are.
  HWY_NOINLINE Size add_others(const double* x, unsigned marks) {
    Size n = 0;
    for (Size k = 0; k < N; ++k) {
      if ((marks >> k & 1) != 0) continue;
      add_alone(x[k]);
      ++n;
    }
    return n;
  }

  void add_alone(double x) {
    decimal::Short d;
    const bool negative = x < 0;
    if (decimal::find_short(negative ? -x : x, d)) {
      bins_.add(d.magnitude, d.exponent, negative);
    } else {
      accumulator::decimal<double>::lift([this](int w, int64_t v) { words_[w] += v; }, x, 0);
    }
  }

  static int decimals_of(const double* x, Size n) {
    int k = 0;
    double most = 0;
    for (Size i = 0; i < n; ++i) {
      const double a = x[i] < 0 ? -x[i] : x[i];
      decimal::Short d;
      if (!decimal::find_short(a, d)) continue;
      most = a > most ? a : most;
      while (-d.exponent > k && d.magnitude % 10 == 0) {
        d.magnitude /= 10;
        ++d.exponent;
      }
      k = -d.exponent > k ? -d.exponent : k;
    }
    while (k > 0 && most * decimal::power_of_ten(k) > decimal::most_digits) --k;
    return k;
  }

  int64_t* words_;
  int k_ = 2;
  int until_look_ = 0;
  decimal::Bins bins_;
};

void add_feeds(std::vector<Feed>& table) {
  table.push_back(make_feed<Decimals>("decimal f64", Accumulator::decimal, 400));
}
