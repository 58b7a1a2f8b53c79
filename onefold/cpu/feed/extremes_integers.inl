// Least and greatest integers and their first indices, one or both in one loop.
//
//   exact    compares only; u64 with the top bit flipped, as i64, which AVX2 can compare

#include "onefold/cpu/extreme/end.inl"

// Lanes whose order is that of the order keys.
template <class T>
using Lane = std::conditional_t<std::is_same_v<T, uint64_t>, int64_t, T>;
template <class T>
constexpr Lane<T> lane_of(T x) {
  return std::is_same_v<T, uint64_t> ? static_cast<Lane<T>>(order_key(x)) : static_cast<Lane<T>>(x);
}

template <class T, bool low, bool high>
class Extremes {
 public:
  using Element = T;

  void open(int64_t* const* words) {
    least_ = words[static_cast<int>(Accumulator::least)];
    greatest_ = words[static_cast<int>(Accumulator::greatest)];
  }
  void run(const T* x, Size n, Size first) {
    const hn::Repartition<Lane<T>, D> d;
    constexpr Size lanes = hn::MaxLanes(hn::Repartition<Lane<T>, D>());
    if (n < lanes) {
      if (least_ != nullptr) lift_each<T, false>(least_, x, n, first);
      if (greatest_ != nullptr) lift_each<T, true>(greatest_, x, n, first);
      return;
    }
    const auto load = [&](const T* p) HWY_ATTR {
      const auto v = hn::LoadU(d, reinterpret_cast<const Lane<T>*>(p));
      if constexpr (std::is_same_v<T, uint64_t>) {
        return hn::Xor(v, hn::Set(d, std::numeric_limits<int64_t>::min()));
      } else {
        return v;
      }
    };
    std::conditional_t<low, End<Lane<T>, false>, NoEnd> lowest(lane_of(x[0]), 0);
    std::conditional_t<high, End<Lane<T>, true>, NoEnd> highest(lane_of(x[0]), 0);
    constexpr Size tile = tile_size<T>;
    for (Size at = 0; at < n && !(lowest.at_limit() && highest.at_limit()); at += tile) {
      for_each_vector(x, at, std::min(n, at + tile), lanes, load,
                      [&](auto a, auto b, auto c, auto e) HWY_ATTR {
                        lowest.take(a, b);
                        highest.take(a, b);
                        lowest.take(c, e);
                        highest.take(c, e);
                      });
      lowest.note_tile(at);
      highest.note_tile(at);
    }
    if constexpr (low) record_end<false>(least_, lowest, x, n, first);
    if constexpr (high) record_end<true>(greatest_, highest, x, n, first);
  }
  void close() {}

 private:
  template <bool greatest, class E>
  HWY_INLINE static void record_end(int64_t* words, const E& end, const T* x, Size n, Size first) {
    if (words == nullptr) return;
    const Size m = std::min(n - end.tile, tile_size<T>);
    record<T, greatest>(words, x + end.tile, m, first + end.tile, static_cast<int64_t>(end.best));
  }
  int64_t* least_;
  int64_t* greatest_;
};

// Finds the first false and the first true byte; stops reading once both are known.
class BoolExtremes {
 public:
  using Element = Bool8;

  void open(int64_t* const* words) {
    least_ = words[static_cast<int>(Accumulator::least)];
    greatest_ = words[static_cast<int>(Accumulator::greatest)];
  }
  void run(const Bool8* x, Size n, Size first) {
    if (n == 0) return;
    const auto zero = hn::Zero(BitsTag<Bool8>());
    if (least_ != nullptr) {
      look<false>(least_, x, n, first, 0, [&](auto v) HWY_ATTR { return hn::Eq(v, zero); });
    }
    if (greatest_ != nullptr) {
      look<true>(greatest_, x, n, first, 1, [&](auto v) HWY_ATTR { return hn::Ne(v, zero); });
    }
  }
  void close() {}

 private:
  template <bool greatest, class Test>
  HWY_INLINE static void look(int64_t* words, const Bool8* x, Size n, Size first, int64_t wanted,
                              Test test) {
    using A = Extreme<greatest, Bool8>;
    auto s = load_state<A>(words);
    if (s.key == wanted && s.index <= first) return;
    const Size i = find_first(x, n, test);
    if (i < n) {
      A::merge(s, {.key = wanted, .index = first + i});
    } else {
      A::merge(s, {.key = 1 - wanted, .index = first});  // all are the other value
    }
    store_state<A>(words, s);
  }
  int64_t* least_;
  int64_t* greatest_;
};

template <class T>
void add_feeds_of(std::vector<Feed>& table, const char* least, const char* greatest,
                  const char* both) {
  // 110 to 150 GB/s; a single extreme of 64-bit integers is a little quicker.
  const auto cost = static_cast<int>(8 * sizeof(T));
  table.push_back(make_feed<Extremes<T, true, false>>(least, Accumulator::least, cost));
  table.push_back(make_feed<Extremes<T, false, true>>(greatest, Accumulator::greatest, cost));
  table.push_back(make_feed<Extremes<T, true, true>>(
      both, Accumulator::least | Accumulator::greatest, cost * 5 / 4));
}

void add_feeds(std::vector<Feed>& table) {
  table.push_back(make_feed<BoolExtremes>("first false, first true",
                                          Accumulator::least | Accumulator::greatest, 8));
  add_feeds_of<int8_t>(table, "least i8", "greatest i8", "least, greatest i8");
  add_feeds_of<int16_t>(table, "least i16", "greatest i16", "least, greatest i16");
  add_feeds_of<int32_t>(table, "least i32", "greatest i32", "least, greatest i32");
  add_feeds_of<int64_t>(table, "least i64", "greatest i64", "least, greatest i64");
  add_feeds_of<uint8_t>(table, "least u8", "greatest u8", "least, greatest u8");
  add_feeds_of<uint16_t>(table, "least u16", "greatest u16", "least, greatest u16");
  add_feeds_of<uint32_t>(table, "least u32", "greatest u32", "least, greatest u32");
  add_feeds_of<uint64_t>(table, "least u64", "greatest u64", "least, greatest u64");
}
