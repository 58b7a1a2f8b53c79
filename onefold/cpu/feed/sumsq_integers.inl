// Sums of integers and of their squares in one loop: var needs both, and the squares of biased
// values need the sum anyway.
//
//   exact    8 bits   4 squares of at most 2^14 (u8: 2^16) in a 32-bit lane
//            i16      2 squares of at most 2^30; u16 as x - 2^15, corrected at the end
//            i32      2 squares of at most 2^62 in a 64-bit lane; u32 one by one
//            64 bits  as x + 2^63 (i64) = a + 2^32 b: a^2, a b and b^2, each a u64

#include "onefold/cpu/integer/integer_feed.inl"

template <class T>
struct Moments {
  using Element = T;
  static constexpr int inputs = 1;
  static constexpr Accumulators sums =
      is_signed<T> ? Accumulators(Accumulator::sum) : Accumulator::sum | Accumulator::sumabs;
  static constexpr Accumulators products = Accumulator::sumsq;

  VU bytes;
  WideSum sum, low, middle, high;

  HWY_INLINE Moments() : bytes(hn::Zero(du64)) {}

  HWY_INLINE void add(VU v, VU) {
    if constexpr (sizeof(T) == 1) {
      const VU u = is_signed<T> ? flip_signs<T>(v) : v;
      bytes = hn::Add(bytes, hn::SumsOf8(hn::BitCast(du8, u)));
      const auto [even, odd] = split_bytes<T>(v);
      low.add(hn::BitCast(du64, hn::Add(multiply_pairs(even, even), multiply_pairs(odd, odd))));
    } else if constexpr (sizeof(T) == 2) {
      const VU s = is_signed<T> ? v : flip_signs<T>(v);
      const auto pairs = multiply_pairs(s, hn::Set(du64, 0x0001000100010001u));
      sum.add(hn::BitCast(du64, hn::Add(pairs, hn::Set(di32, 1 << 16))));
      low.add(hn::BitCast(du64, multiply_pairs(s, s)));
    } else if constexpr (sizeof(T) == 4) {
      const VU u = is_signed<T> ? flip_signs<T>(v) : v;
      sum.add(u);
      const VU odd = hn::ShiftRight<32>(v);
      if constexpr (is_signed<T>) {
        low.add(hn::Add(multiply_even<T>(v, v), multiply_even<T>(odd, odd)));
      } else {
        low.add(multiply_even<T>(v, v));
        low.add(multiply_even<T>(odd, odd));
      }
    } else {
      const VU u = is_signed<T> ? flip_signs<T>(v) : v;
      const VU top = hn::ShiftRight<32>(u);
      sum.add(u, top);
      low.add(multiply_even<uint32_t>(u, u));
      middle.add(multiply_even<uint32_t>(u, top));
      high.add(multiply_even<uint32_t>(top, top));
    }
  }
  HWY_INLINE void drain(Totals& t, Size n) const {
    const auto count = static_cast<Int128>(n);
    if constexpr (sizeof(T) == 1) {
      t.sum += sum_lanes(bytes) - (is_signed<T> ? count << 7 : 0);
      t.product[0] += low.halves();
    } else if constexpr (sizeof(T) == 2) {
      const Int128 biased = sum.halves() - (count << 15);  // the sum of the numbers that were
                                                           // squared
      t.sum += is_signed<T> ? biased : sum.halves();
      t.product[0] += low.halves();
      // The square of (s + 2^15).
      if (!is_signed<T>) t.product[0] += (biased << 16) + (count << 30);
    } else if constexpr (sizeof(T) == 4) {
      t.sum += sum.halves() - (is_signed<T> ? count << 31 : 0);
      t.product[0] += low.value();
    } else {
      const Int128 s = sum.value();
      t.sum += s - (is_signed<T> ? count << 63 : 0);
      t.product[0] += low.value();
      t.product[1] += 2 * middle.value();
      t.product[2] += high.value();
      // The square of (u - 2^63).
      if (is_signed<T>) t.product[2] += (count << 62) - s;
    }
  }
  static HWY_INLINE void add_one(Totals& t, T x, T) {
    t.sum += static_cast<Int128>(x);
    add_product(t, x, x);
  }
};

template <class T>
void add_feed(std::vector<Feed>& table, const char* name) {
  using Step = Moments<T>;
  table.push_back(make_feed<IntegerFeed<Step>>(
      name, Step::sums | Step::products | Accumulator::tally, static_cast<int>(12 * sizeof(T))));
}

void add_feeds(std::vector<Feed>& table) {
  add_feed<int8_t>(table, "sum, sumsq i8");
  add_feed<int16_t>(table, "sum, sumsq i16");
  add_feed<int32_t>(table, "sum, sumsq i32");
  add_feed<int64_t>(table, "sum, sumsq i64");
  add_feed<uint8_t>(table, "sum, sumsq u8");
  add_feed<uint16_t>(table, "sum, sumsq u16");
  add_feed<uint32_t>(table, "sum, sumsq u32");
  add_feed<uint64_t>(table, "sum, sumsq u64");
}
