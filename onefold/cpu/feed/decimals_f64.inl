// Sums of f64 as decimals.
//
//   tile     uses one power of ten, 10^k. An element times 10^k, rounded to an integer of 15
//            digits, is its decimal if that integer divided by 10^k equals the element
//            (exact/decimal.hpp)
//   others   other elements are converted one by one, each by its own power of ten
//   k        the most decimals of some elements, plus half of the digits that their largest leaves
//            free. They are a thread's first elements, and after a tile with many other elements
//            those of that tile

class Decimals {
 public:
  using Element = double;

  HWY_ATTR void open(int64_t* const* words) {
    words_ = words[static_cast<int>(Accumulator::decimal)];
    k_ = last_k();
  }

  HWY_ATTR void run(const double* x, Size n, Size) {
    if (!looked_) look(x, n);
    while (n != 0) {
      const Size m = n < tile ? n : tile;
      add_tile(x, m);
      x += m;
      n -= m;
    }
  }

  void close() {
    add_sum();
    if (others_) bins_.add_to(words_);
    others_ = false;
    last_k() = k_;
  }

 private:
  static constexpr Size tile = 256, sample = 16, few = 4;
  static constexpr double most_squared = decimal::most_digits * decimal::most_digits;
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
    sum_ += sum_lanes(sum);
    if (misfits * 64 <= n) return;
    if (--until_look_ >= 0) return;
    add_sum();
    k_ = decimals_of(x, n);
    until_look_ = tiles_between_looks;
  }

  void add_sum() {
    if (sum_ == 0) return;
    const auto add = [this](int w, int64_t v) { words_[w] += v; };
    const auto magnitude = static_cast<Uint128>(sum_ < 0 ? -sum_ : sum_);
    if (magnitude >> 64 == 0) {  // fits 64 bits: divides in a few instructions
      decimal::add_scaled(add, static_cast<uint64_t>(magnitude), sum_ < 0, -k_);
    } else {
      decimal::add_scaled(add, magnitude, sum_ < 0, -k_);
    }
    sum_ = 0;
  }

  // Keeps the thread's last k if it fits the first elements.
  void look(const double* x, Size n) {
    looked_ = true;
    bool serves = k_ >= 0;
    const double power = decimal::power_of_ten(serves ? k_ : 0);
    for (Size i = 0; i < n && i < few; ++i) {
      const double digits = (x[i] * power + magic) - magic;
      serves = serves && digits / power == x[i] && digits * digits <= most_squared;
    }
    if (!serves) k_ = decimals_of(x, n < sample ? n : sample);
  }

  // The k with which the next run begins: neighbouring rows and columns of a table are alike.
  static int& last_k() {
    static thread_local int k = -1;  // not known
    return k;
  }

  // Adds the elements of a vector that are not marked, one by one; returns their number.
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
      others_ = true;
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
      decimal::drop_zeros(d, k);
      k = -d.exponent > k ? -d.exponent : k;
    }
    const auto has_room = [&](int decimals) {
      return decimals <= decimal::most_exponent &&
             most * decimal::power_of_ten(decimals) <= decimal::most_digits;
    };
    while (k > 0 && !has_room(k)) --k;
    int room = 0;
    while (has_room(k + room + 1)) ++room;
    return k + room / 2;
  }

  int64_t* words_;
  int k_ = -1;
  int until_look_ = 0;
  Int128 sum_ = 0;  // sum of the elements times 10^k
  bool looked_ = false, others_ = false;
  decimal::Bins bins_;
};

void add_feeds(std::vector<Feed>& table) {
  table.push_back(make_feed<Decimals>("decimal f64", Accumulator::decimal, 400));
}
