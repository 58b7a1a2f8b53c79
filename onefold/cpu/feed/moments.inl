// Sums of elements, their squares, cubes and fourth powers, by integers.
//
//   method   a bin for each sign and exponent has the sums of powers of the significands. The range
//            of a tile's exponents is found first, so that only bins in use are cleared and read
//   exact    powers are added in parts of at most 108 bits, 2^16 times: below 2^125
//   special  infinities and NaN have bins that are left out; they are counted one by one
//   why      lifting each power takes five times as long (f64, N(0,1), 2^20 elements), and so do
//            sums of 192 and 256 bits instead of parts

template <class T, bool with_fourth>
class Moments {
  static constexpr int bits = significand_bits<T>;
  static constexpr Size between_spills = Size{1} << 16;
  // How many parts a power has, and the number of bits from one part to the next.
  static constexpr int parts(int power) {
    return power * bits <= 108 ? 1 : bits == 53 ? power - 1 : bits == 32 ? 2 : power;
  }
  static constexpr int spacing = bits == 53 ? 53 : 64;
  static constexpr int exponents =
      Floating<T> ? 1 << (Floating<T> ? float_format(dtype_of<T>).exponent_bits : 0) : 1;
  struct Bin {  // not cleared: most bins of a fold are never used
    Uint128 sum[1], square[parts(2)], cube[parts(3)], fourth[with_fourth ? parts(4) : 1];
  };

 public:
  using Element = T;

  void open(int64_t* const* to) {
    const auto at = [to](Accumulator a) { return to[static_cast<int>(a)]; };
    sum_ = at(Accumulator::sum);
    square_ = at(Accumulator::sumsq);
    cube_ = at(Accumulator::sumcube);
    fourth_ = at(Accumulator::sumfourth);
    tally_ = at(Accumulator::tally);
    restart();
  }
  HWY_ATTR void run(const T* x, Size n, Size) {
    if (tally_ != nullptr) tally_[Tally::n] += static_cast<int64_t>(n);
    for (Size i = 0; i < n;) {
      const Size m = std::min(n - i, std::min(left_, tile));
      if constexpr (Floating<T>) cover(x + i, m);
      for (Size k = i; k < i + m; ++k) add(x[k]);
      i += m;
      if ((left_ -= m) == 0) drain();
    }
  }
  void close() { drain(); }

 private:
  using Tally = accumulator::tally<T>;
  static constexpr Size tile = 4096 / sizeof(T);

  HWY_INLINE void add(T x) {
    if constexpr (Floating<T>) {
      constexpr FloatFormat f = float_format(dtype_of<T>);
      const uint64_t u = bit_cast<bits_of<T>>(x);
      const uint64_t exponent = u >> f.mantissa_bits & (exponents - 1);
      const uint64_t hidden = static_cast<uint64_t>(exponent != 0) << f.mantissa_bits;
      add_power(bin_[exponent][u >> (8 * sizeof(T) - 1)],
                (u & ((uint64_t{1} << f.mantissa_bits) - 1)) | hidden);
    } else {
      const Numeric v = numeric(x);
      add_power(bin_[0][v.negative], v.mantissa);
    }
  }
  static HWY_INLINE void add_power(Bin& to, uint64_t m) {
    to.sum[0] += m;
    const auto low = [](Uint128 v) { return static_cast<uint64_t>(v); };
    const auto high = [](Uint128 v) { return static_cast<uint64_t>(v >> 64); };
    if constexpr (bits <= 32) {
      const uint64_t square = m * m;
      to.square[0] += square;
      to.cube[0] += static_cast<Uint128>(square) * m;
      if constexpr (with_fourth) {
        const Uint128 p = static_cast<Uint128>(square) * square;
        if constexpr (parts(4) == 1) {
          to.fourth[0] += p;
        } else {
          to.fourth[0] += low(p);
          to.fourth[1] += high(p);
        }
      }
    } else if constexpr (bits == 53) {
      const Uint128 square = static_cast<Uint128>(m) * m;
      const uint64_t l = low(square) & ((uint64_t{1} << 53) - 1), h = low(square >> 53);
      to.square[0] += square;
      to.cube[0] += static_cast<Uint128>(l) * m;
      to.cube[1] += static_cast<Uint128>(h) * m;
      if constexpr (with_fourth) {
        to.fourth[0] += static_cast<Uint128>(l) * l;
        to.fourth[1] += static_cast<Uint128>(2 * l) * h;
        to.fourth[2] += static_cast<Uint128>(h) * h;
      }
    } else {
      const Uint128 square = static_cast<Uint128>(m) * m;
      const uint64_t l = low(square), h = high(square);
      to.square[0] += l;
      to.square[1] += h;
      const Uint128 lm = static_cast<Uint128>(l) * m, hm = static_cast<Uint128>(h) * m;
      to.cube[0] += low(lm);
      to.cube[1] += static_cast<Uint128>(high(lm)) + low(hm);
      to.cube[2] += high(hm);
      if constexpr (with_fourth) {
        const Uint128 ll = static_cast<Uint128>(l) * l, lh = static_cast<Uint128>(l) * h,
                      hh = static_cast<Uint128>(h) * h;
        to.fourth[0] += low(ll);
        to.fourth[1] += static_cast<Uint128>(low(lh)) * 2 + high(ll);
        to.fourth[2] += static_cast<Uint128>(high(lh)) * 2 + low(hh);
        to.fourth[3] += high(hh);
      }
    }
  }

  // Clears the bins of a tile's exponents, if they are not in use; counts what is not finite.
  HWY_ATTR void cover(const T* x, Size n) {
    constexpr int mantissa_bits = float_format(dtype_of<T>).mantissa_bits;
    constexpr auto magnitude = static_cast<bits_of<T>>((uint64_t{1} << (8 * sizeof(T) - 1)) - 1);
    const hn::ScalableTag<bits_of<T>> d;
    const Size lanes = hn::Lanes(d);
    const auto* u = reinterpret_cast<const bits_of<T>*>(x);
    const auto one = hn::Set(d, bits_of<T>{1}), mask = hn::Set(d, magnitude);
    auto most = hn::Zero(d), least = hn::Set(d, static_cast<bits_of<T>>(~bits_of<T>{0}));
    Size i = 0;
    for (; i + lanes <= n; i += lanes) {
      const auto v = hn::And(hn::LoadU(d, u + i), mask);
      most = hn::Max(most, v);
      least = hn::Min(least, hn::Sub(v, one));  // 0 becomes the largest
    }
    auto high = hn::GetLane(hn::MaxOfLanes(d, most)), low = hn::GetLane(hn::MinOfLanes(d, least));
    for (; i < n; ++i) {
      const auto v = static_cast<bits_of<T>>(u[i] & magnitude);
      high = std::max(high, v);
      low = std::min(low, static_cast<bits_of<T>>(v - 1));
    }
    const int last = static_cast<int>(high >> mantissa_bits);
    if (tally_ != nullptr) count(x, n, last == exponents - 1);
    const int first =
        std::max(1, static_cast<int>(static_cast<bits_of<T>>(low + 1) >> mantissa_bits));
    if (last < first || high == 0) return;
    if (begin_ == end_) begin_ = end_ = first;
    clear(first, begin_);
    clear(end_, last + 1);
    begin_ = std::min(begin_, first);
    end_ = std::max(end_, last + 1);
  }
  void clear(int begin, int end) {
    if (begin < end) {
      std::memset(&bin_[begin], 0, static_cast<std::size_t>(end - begin) * sizeof bin_[0]);
    }
  }
  void restart() {
    clear(0, 1);
    begin_ = end_ = 0;
    left_ = between_spills;
  }
  HWY_NOINLINE void count(const T* x, Size n, bool special) {
    for (Size i = 0; i < n && (special || tally_[Tally::not_negative_zero] == 0); ++i) {
      const Decoded d = decode(x[i]);
      if (d.nan) ++tally_[Tally::nan];
      if (d.infinite) ++tally_[d.negative ? Tally::negative_infinity : Tally::positive_infinity];
      if (!d.nan && !(d.zero() && d.negative)) tally_[Tally::not_negative_zero] = 1;
    }
  }

  void drain() {
    spill_bin(0);
    if constexpr (Floating<T>) {
      for (int e = begin_; e < std::min(end_, exponents - 1); ++e) spill_bin(e);
    }
    restart();
  }
  void spill_bin(int e) {
    const auto& [plus, minus] = bin_[e];
    if (plus.sum[0] == 0 && minus.sum[0] == 0) return;
    const int shift = std::max(e - 1, 0);
    spill(sum_, plus.sum, minus.sum, true, shift);
    spill(square_, plus.square, minus.square, false, 2 * shift);
    spill(cube_, plus.cube, minus.cube, true, 3 * shift);
    if constexpr (with_fourth) spill(fourth_, plus.fourth, minus.fourth, false, 4 * shift);
  }
  template <int n>
  static void spill(int64_t* limb, const Uint128 (&plus)[n], const Uint128 (&minus)[n], bool odd,
                    int shift) {
    if (limb == nullptr) return;
    for (int k = 0; k < n; ++k) {
      const auto p = static_cast<Int128>(plus[k]), m = static_cast<Int128>(minus[k]);
      add_to_limbs(limb, 0, odd ? p - m : p + m, shift + spacing * k);
    }
  }

  int64_t *sum_, *square_, *cube_, *fourth_, *tally_;
  int begin_, end_;  // bins in use, besides that of zeros and subnormals
  Size left_;        // until the next spill
  Bin bin_[exponents][2];
};

template <class T>
void add_feeds_of(std::vector<Feed>& table, const char* cubes, const char* fourths, int cost) {
  using enum Accumulator;
  table.push_back(make_feed<Moments<T, false>>(cubes, sum | sumsq | sumcube | tally, cost));
  table.push_back(
      make_feed<Moments<T, true>>(fourths, sum | sumsq | sumcube | sumfourth | tally, cost + 500));
}

void add_feeds(std::vector<Feed>& table) {
  add_feeds_of<Bool8>(table, "cubes bool", "moments bool", 2500);
  add_feeds_of<int8_t>(table, "cubes i8", "moments i8", 2500);
  add_feeds_of<int16_t>(table, "cubes i16", "moments i16", 2500);
  add_feeds_of<int32_t>(table, "cubes i32", "moments i32", 2500);
  add_feeds_of<int64_t>(table, "cubes i64", "moments i64", 4000);
  add_feeds_of<uint8_t>(table, "cubes u8", "moments u8", 2500);
  add_feeds_of<uint16_t>(table, "cubes u16", "moments u16", 2500);
  add_feeds_of<uint32_t>(table, "cubes u32", "moments u32", 2500);
  add_feeds_of<uint64_t>(table, "cubes u64", "moments u64", 4000);
  add_feeds_of<float16>(table, "cubes f16", "moments f16", 3000);
  add_feeds_of<bfloat16>(table, "cubes bf16", "moments bf16", 3000);
  add_feeds_of<float>(table, "cubes f32", "moments f32", 4000);
  add_feeds_of<double>(table, "cubes f64", "moments f64", 8000);
}
