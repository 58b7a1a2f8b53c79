// Bins: exact sums of f64 of any exponent, for data that do not fit windows.
//
//   method   64 pairs of f64 bins, chosen by exponent >> 5. x is split by C = 1.5 * 2^(32 b + 42),
//            made from its own exponent: h = (x + C) - C is x rounded to a multiple of
//            2^(32 b - 10), l = x - h the rest, a multiple of 2^(32 b - 52) (exponents biased)
//   exact    for 2048 additions: |h| <= 2^(32 b + 32) is 42 bits of its unit, |l| <= 2^(32 b - 11)
//            is 41 bits of its own; 42 + 11 = 53
//   sets     two, used in turn, so that a bin is not read again right after it was written
//   flush    adds each bin, as an integer in its own unit, to an int64: at most 2 * 2^53 each time,
//            so 256 times make 2^62, after which the int64 go to the limbs
//   note     exponents of 2016 and more are reduced by 64, so that C is finite; their pair has its
//            own unit
//   special  infinities and NaN are left out
//
// Included inside the namespace of an instruction set, after window.inl; no include guard.

// Returns the exponent of the unit of bin j; bins come in pairs of h and l.
constexpr int bin_exponent(int j) {
  const int pair = j >> 1;
  return (pair == 63 ? 61 * 32 : pair * 32) - ((j & 1) != 0 ? 52 : 10) - 1023;
}

// bin * a * b is the bin in its own unit. A single factor would overflow.
struct BinScale {
  alignas(64) double a[128];
  alignas(64) double b[128];
  constexpr BinScale() : a(), b() {
    for (int j = 0; j < 128; ++j) {
      const int e = -bin_exponent(j);
      a[j] = power_of_two(e / 2);
      b[j] = power_of_two(e - e / 2);
    }
  }
};
inline constexpr BinScale bin_scale;

class Bins {
 public:
  bool empty() const { return fills_ == 0; }

  // Adds n elements, a multiple of N and at most 4096. Returns true if there were infinities or
  // NaN.
  template <class Source>
  HWY_NOINLINE HWY_ATTR bool add(Source source, Size n, int64_t* limb, int unit) {
    if (fills_ == 0) std::memset(total_, 0, sizeof total_);
    alignas(64) double bin[2][64][2] = {};
    const VU place = hn::Set(du64, 0x3f0);
    const VI group = hn::Set(di64, int64_t{0x7e} << 56), magnitude = hn::Set(di64, int64_max),
             split = hn::Set(di64, (int64_t{42} << 52) | (int64_t{1} << 51)),
             below_last = hn::Set(di64, (int64_t{2016} << 52) - 1),
             lower = hn::Set(di64, int64_t{64} << 52),
             largest = hn::Set(di64, (int64_t{2047} << 52) - 1);
    auto special = hn::Gt(largest, largest);
    struct SplitHalves {
      alignas(64) double halves[2 * N];
      alignas(64) uint64_t place[N];  // in bytes
    };
    const auto divide = [&](Size i, SplitHalves& to) HWY_ATTR {
      const VI bits = bits_of_vector(source.at(i * N));
      const VI a = hn::And(bits, magnitude);
      const auto not_finite = hn::Gt(a, largest);
      special = hn::Or(special, not_finite);
      const VI y = hn::Sub(bits, hn::IfThenElseZero(hn::Gt(a, below_last), lower));
      const V x = hn::BitCast(d64, hn::IfThenZeroElse(not_finite, y));
      const V c = hn::BitCast(d64, hn::Add(hn::And(y, group), split));
      const V h = hn::Sub(hn::Add(x, c), c), l = hn::Sub(x, h);
      // For every two lanes of a vector: first h and l of the even one, later those of the odd one.
      hn::Store(hn::InterleaveLower(d64, h, l), d64, to.halves);
      hn::Store(hn::InterleaveUpper(d64, h, l), d64, to.halves + N);
      const VU at = hn::And(hn::ShiftRight<53>(hn::BitCast(du64, bits)), place);
      hn::Store(at, du64, to.place);
    };
    const hn::Full128<double> pair;
    const auto put = [&](int set, uint64_t at, const double* from) HWY_ATTR {
      auto* to = reinterpret_cast<double*>(reinterpret_cast<char*>(bin[set]) + at);
      hn::Store(hn::Add(hn::Load(pair, to), hn::Load(pair, from)), pair, to);
    };
    split_ahead<SplitHalves>(n / N, divide, [&](Size i, const SplitHalves& from) HWY_ATTR {
      source.fetch(i * N, N, far_ahead);
      for (Size j = 0; j < N; j += 2) {
        put(0, from.place[j], from.halves + j);
        put(1, from.place[j + 1], from.halves + N + j);
      }
    });
    const double* flat = &bin[0][0][0];
    for (Size j = 0; j < 128; j += N) {
      const V a = hn::Load(d64, bin_scale.a + j), b = hn::Load(d64, bin_scale.b + j);
      VI t = hn::Load(di64, total_ + j);
      for (Size set = 0; set < 2; ++set) {
        t = hn::Add(
            t, hn::ConvertTo(di64, hn::Mul(hn::Mul(hn::Load(d64, flat + 128 * set + j), a), b)));
      }
      hn::Store(t, di64, total_ + j);
    }
    if (++fills_ == 256) spill(limb, unit);
    return !hn::AllFalse(di64, special);
  }

  void open() { fills_ = 0; }
  void spill(int64_t* limb, int unit) {
    if (fills_ == 0) return;
    for (int j = 0; j < 128; ++j) {
      add_to_limbs(limb, unit, total_[j], bin_exponent(j) + (j >= 126 ? 64 : 0));
    }
    fills_ = 0;
  }

 private:
  alignas(64) int64_t total_[128];
  int fills_;  // 0: the totals have not been cleared yet
};
