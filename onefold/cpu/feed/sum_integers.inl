// Sums of integers and of their absolute values. Bytes: the instruction that sums 8 bytes; i16 and
// u16: multiplication by 1; wider types: halves of 64-bit lanes.
//
//   exact    signed values are added as unsigned ones, 2^(bits-1) too large, which is subtracted at
//            the end; integer/wide_sum.inl

#include "onefold/cpu/integer/integer_feed.inl"

template <class T, bool absolute>
struct Sum {
  using Element = T;
  static constexpr int inputs = 1;
  static constexpr Accumulators sums = absolute       ? Accumulators(Accumulator::sumabs)
                                       : is_signed<T> ? Accumulators(Accumulator::sum)
                                                      : Accumulator::sum | Accumulator::sumabs;
  static constexpr Accumulators products{};
  static constexpr uint64_t bias = is_signed<T> && !absolute ? sign_bit<T> : 0;

  VU bytes;
  WideSum wide;

  HWY_INLINE Sum() : bytes(hn::Zero(du64)) {}

  HWY_INLINE void add(VU v, VU) {
    if constexpr (absolute) {
      const hn::Repartition<T, D> d;
      v = hn::BitCast(du64, hn::Abs(hn::BitCast(d, v)));  // as unsigned, |-2^(bits-1)| is correct
    }
    if constexpr (sizeof(T) == 2) {
      // As signed numbers, which the product with 1 can hold; 2^15 per element is added back later.
      if (bias == 0) v = flip_signs<T>(v);
      const auto pairs = multiply_pairs(v, hn::Set(du64, 0x0001000100010001u));
      wide.add(hn::BitCast(du64, hn::Add(pairs, hn::Set(di32, 1 << 16))));
    } else {
      if (bias != 0) v = flip_signs<T>(v);
      if constexpr (sizeof(T) == 1) {
        bytes = hn::Add(bytes, hn::SumsOf8(hn::BitCast(du8, v)));
      } else {
        wide.add(v);
      }
    }
  }
  HWY_INLINE void drain(Totals& t, Size n) const {
    t.sum += sizeof(T) == 1 ? sum_lanes(bytes) : sizeof(T) == 8 ? wide.value() : wide.halves();
    t.sum -= static_cast<Int128>(n) * bias;
  }
  static HWY_INLINE void add_one(Totals& t, T x, T) {
    t.sum += absolute && x < T{0} ? -static_cast<Int128>(x) : static_cast<Int128>(x);
  }
};

template <class T, bool absolute>
void add_feed(std::vector<Feed>& table, const char* name) {
  using Step = Sum<T, absolute>;
  // 7 ps a byte: 150 GB/s from L2
  table.push_back(make_feed<IntegerFeed<Step>>(name, Step::sums | Accumulator::tally,
                                               static_cast<int>(7 * sizeof(T))));
}

void add_feeds(std::vector<Feed>& table) {
  add_feed<int8_t, false>(table, "sum i8");
  add_feed<int16_t, false>(table, "sum i16");
  add_feed<int32_t, false>(table, "sum i32");
  add_feed<int64_t, false>(table, "sum i64");
  add_feed<uint8_t, false>(table, "sum u8");
  add_feed<uint16_t, false>(table, "sum u16");
  add_feed<uint32_t, false>(table, "sum u32");
  add_feed<uint64_t, false>(table, "sum u64");
  add_feed<int8_t, true>(table, "sum of |i8|");
  add_feed<int16_t, true>(table, "sum of |i16|");
  add_feed<int32_t, true>(table, "sum of |i32|");
  add_feed<int64_t, true>(table, "sum of |i64|");
}
