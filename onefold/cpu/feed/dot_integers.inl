// Sums of products of two arrays of integers or bools.
//
//   exact    i8       4 products of -2^14 + 2^7 .. 2^14 in a 32-bit lane, 2^16 added; u8 without
//            i16      2 products, above -2^31 and at most 2^31: 2^31 - 1 added
//            u16      as (x - 2^15)(y - 2^15), put right at the end by the sums of x and y
//            i32      2 products, above -2^63 and at most 2^63: 2^63 - 1 added; u32 one by one
//            64 bits  as x + 2^63 (i64) = a + 2^32 b: four products, each a u64

#include "onefold/cpu/integer/integer_feed.inl"

template <class T>
struct Dot {
  using Element = T;
  static constexpr int inputs = 2;
  static constexpr Accumulators sums{};
  static constexpr Accumulators products = Accumulator::dot;

  WideSum sum, low, middle, high;

  HWY_INLINE Dot() {}

  HWY_INLINE void add(VU v, VU w) {
    if constexpr (sizeof(T) == 1) {
      const auto [even, odd] = split_bytes<T>(v);
      const auto [even_w, odd_w] = split_bytes<T>(w);
      const auto pairs = hn::Add(multiply_pairs(even, even_w), multiply_pairs(odd, odd_w));
      low.add(hn::BitCast(du64, hn::Add(pairs, hn::Set(di32, is_signed<T> ? 1 << 16 : 0))));
    } else if constexpr (sizeof(T) == 2) {
      if constexpr (!is_signed<T>) {
        v = flip_signs<T>(v);
        w = flip_signs<T>(w);
        const VU one = hn::Set(du64, 0x0001000100010001u);
        const auto pairs = hn::Add(multiply_pairs(v, one), multiply_pairs(w, one));
        sum.add(hn::BitCast(du64, hn::Add(pairs, hn::Set(di32, 1 << 17))));
      }
      low.add(hn::BitCast(du64, hn::Add(multiply_pairs(v, w), hn::Set(di32, 0x7fffffff))));
    } else if constexpr (sizeof(T) == 4) {
      const VU even = multiply_even<T>(v, w);
      const VU odd = multiply_even<T>(hn::ShiftRight<32>(v), hn::ShiftRight<32>(w));
      if constexpr (is_signed<T>) {
        low.add(hn::Add(hn::Add(even, odd), hn::Set(du64, ~uint64_t{0} >> 1)));
      } else {
        low.add(even);
        low.add(odd);
      }
    } else {
      if constexpr (is_signed<T>) {
        v = flip_signs<T>(v);
        w = flip_signs<T>(w);
      }
      const VU top = hn::ShiftRight<32>(v), top_w = hn::ShiftRight<32>(w);
      if constexpr (is_signed<T>) {
        sum.add(v, top);
        sum.add(w, top_w);
      }
      low.add(multiply_even<uint32_t>(v, w));
      middle.add(multiply_even<uint32_t>(v, top_w));
      middle.add(multiply_even<uint32_t>(top, w));
      high.add(multiply_even<uint32_t>(top, top_w));
    }
  }
  HWY_INLINE void drain(Totals& t, Size n) const {
    const auto count = static_cast<Int128>(n);
    if constexpr (sizeof(T) == 1) {
      t.product[0] += low.halves() - (is_signed<T> ? count << 14 : 0);  // 4 elements a lane
    } else if constexpr (sizeof(T) == 2) {
      t.product[0] += low.halves() - (count / 2) * 0x7fffffff;
      // (s + 2^15)(r + 2^15); `sum` holds each s and r with 2^15 already added.
      if (!is_signed<T>) t.product[0] += (sum.halves() << 15) - (count << 30);
    } else if constexpr (sizeof(T) == 4) {
      t.product[0] += low.value() - (is_signed<T> ? (count / 2) * int64_max : 0);
    } else {
      t.product[0] += low.value();
      t.product[1] += middle.value();
      t.product[2] += high.value();
      if (is_signed<T>) {
        // (u - 2^63)(v - 2^63)
        t.product[1] -= sum.value() << 31;
        t.product[2] += count << 62;
      }
    }
  }
  static HWY_INLINE void add_one(Totals& t, T x, T y) { add_product(t, x, y); }
};

// Counts the pairs in which both are true.
template <>
struct Dot<Bool8> {
  using Element = Bool8;
  static constexpr int inputs = 2;
  static constexpr Accumulators sums{};
  static constexpr Accumulators products = Accumulator::dot;

  VU bytes;

  HWY_INLINE Dot() : bytes(hn::Zero(du64)) {}
  HWY_INLINE void add(VU v, VU w) {
    // 0 if either byte is 0.
    const auto both = hn::Min(hn::BitCast(du8, v), hn::BitCast(du8, w));
    bytes = hn::Add(bytes, hn::SumsOf8(hn::Min(both, hn::Set(du8, uint8_t{1}))));
  }
  HWY_INLINE void drain(Totals& t, Size) const { t.product[0] += sum_lanes(bytes); }
  static HWY_INLINE void add_one(Totals& t, Bool8 x, Bool8 y) {
    t.product[0] += x.byte != 0 && y.byte != 0;
  }
};

template <class T>
void add_feed(std::vector<Feed>& table, const char* name) {
  table.push_back(
      make_feed<IntegerFeed<Dot<T>>>(name, Accumulator::dot, static_cast<int>(20 * sizeof(T))));
}

void add_feeds(std::vector<Feed>& table) {
  add_feed<Bool8>(table, "dot bool");
  add_feed<int8_t>(table, "dot i8");
  add_feed<int16_t>(table, "dot i16");
  add_feed<int32_t>(table, "dot i32");
  add_feed<int64_t>(table, "dot i64");
  add_feed<uint8_t>(table, "dot u8");
  add_feed<uint16_t>(table, "dot u16");
  add_feed<uint32_t>(table, "dot u32");
  add_feed<uint64_t>(table, "dot u64");
}
