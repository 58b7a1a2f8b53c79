// States of parts give the answers of the whole: in any grouping and order, saved or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "check.hpp"
#include "expect_error.hpp"
#include "onefold/engine/plan/table.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;

constexpr const char* order_free =
    "count,sum,sumsq,norm1,mean,var,any,all,count_nan,count_inf,min,max,ptp,norminf";

ArrayRef part(const Data& x, std::size_t begin, std::size_t end) {
  return {x.at(begin), x.dtype(), {static_cast<int64_t>(end - begin)}};
}

ErrorCode code_of(const std::function<void()>& f) { return test::caught(f).code; }

class AnyState : public testing::TestWithParam<DType> {
 protected:
  std::vector<Data> some_data() const {
    std::vector<Data> list;
    Random r(1);
    for (const std::string_view g : test::generators(GetParam())) {
      for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{37},
                                  static_cast<std::size_t>(test::pick_log(r, 100, 20000))}) {
        list.push_back(test::generate(g, GetParam(), n, n));
      }
    }
    return list;
  }
  std::string all_ops() const { return test::ops_of_one_array(GetParam()); }
};

std::vector<DType> all_types() {
  std::vector<DType> list;
  for (int t = 0; t < dtype_count; ++t) list.push_back(static_cast<DType>(t));
  return list;
}
TEST(State, OfNothingSavesAndLoads) {
  const State nothing;
  EXPECT_EQ(State::load(nothing.save()), nothing);
  EXPECT_THROW(nothing.answer("sum"), Error);
}

// Replaces the 8 bytes at the last place where `from` stands, and mends the CRC-32 at the end.
std::vector<std::byte> tampered(std::vector<std::byte> bytes, uint64_t from, uint64_t to) {
  std::byte pattern[8];
  std::memcpy(pattern, &from, 8);
  const auto at = std::find_end(bytes.begin(), bytes.end(), pattern, pattern + 8);
  EXPECT_NE(at, bytes.end());
  std::memcpy(&*at, &to, 8);
  uint32_t crc = ~0u;
  for (std::size_t i = 0; i + 4 < bytes.size(); ++i) {
    crc ^= static_cast<uint32_t>(bytes[i]);
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
  }
  crc = ~crc;
  std::memcpy(&bytes[bytes.size() - 4], &crc, 4);
  return bytes;
}

TEST(State, WithRangesThatNoGatherGivesIsRefused) {
  const std::vector<int32_t> x(3, 7);
  const auto bytes = gather("argmin", x, {.first = 5000}).save();
  EXPECT_EQ(State::load(tampered(bytes, 5003, 5003)).count(), 3u);  // the tool itself is right
  EXPECT_THROW(State::load(tampered(bytes, 5003, 5001)), Error);    // fewer than were gathered
  EXPECT_THROW(State::load(tampered(bytes, 5000, 4000)), Error);    // the index outside of them
}

INSTANTIATE_TEST_SUITE_P(Types, AnyState, testing::ValuesIn(all_types()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(AnyState, AnswersAsFoldDoes) {
  for (const Data& x : some_data()) {
    const oracle::Fold expected(oracle::type(name_of(GetParam())), x.data(), x.size());
    for (const NanPolicy nan : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
      const State state = gather(all_ops(), part(x, 0, x.size()), {.nan = nan});
      EXPECT_EQ(state.dtype(), GetParam());
      EXPECT_EQ(state.count(), x.size());
      EXPECT_EQ(state.nan(), nan);
      for (const std::string_view op : oracle::ops_of_one_array()) {
        Options options{.nan = nan, .ddof = 1.5};
        ASSERT_EQ(
            test::compare(op, state.answer(op, options), expected(op, test::for_oracle(options))),
            "");
        options.result = bf16;
        ASSERT_EQ(
            test::compare(op, state.answer(op, options), expected(op, test::for_oracle(options))),
            "");
      }
    }
  }
}

// Cuts data into parts, which are then merged in any order and grouping.
TEST_P(AnyState, HasTheSameBytesForAnyOrderOfMerging) {
  Random r(2);
  for (const Data& x : some_data()) {
    const std::size_t n = x.size();
    std::vector<std::size_t> cuts{0, n};
    for (uint64_t k = r() % 6; k > 0; --k) cuts.push_back(r() % (n + 1));
    std::sort(cuts.begin(), cuts.end());
    const Size base = r() % 3 == 0 ? Size{1} << 40 : 0;
    std::vector<State> states;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      const auto targets = cpu_targets();
      states.push_back(gather(all_ops(), part(x, cuts[k], cuts[k + 1]),
                              {.target = targets[r() % targets.size()], .first = base + cuts[k]}));
    }
    while (states.size() > 1) {
      const std::size_t i = r() % states.size();
      std::swap(states[i], states.back());
      const std::size_t j = r() % (states.size() - 1);
      if (r() % 2 == 0) states.back() = State::load(states.back().save());
      states[j].merge(states.back());
      states.pop_back();
    }
    const State whole = gather(all_ops(), part(x, 0, n), {.first = base});
    EXPECT_EQ(states[0], whole);
    EXPECT_EQ(states[0].save(), whole.save());
  }
}

TEST_P(AnyState, WithoutIndicesHasTheSameBytesForAnyOrderOfTheData) {
  Random r(3);
  for (const Data& x : some_data()) {
    Data y = x;
    for (std::size_t i = y.size(); i > 1; --i) {
      const std::size_t j = r() % i;
      const uint64_t v = y.bits(i - 1);
      y.set(i - 1, y.bits(j));
      y.set(j, v);
    }
    const std::size_t cut = r() % (y.size() + 1);
    State parts = gather(order_free, part(y, cut, y.size()));
    parts.merge(gather(order_free, part(y, 0, cut)));
    EXPECT_EQ(parts.save(), gather(order_free, part(x, 0, x.size())).save());
  }
}

TEST_P(AnyState, HasTheSameBytesForAnyStridesAndThreads) {
  Random r(4);
  for (const Data& x : some_data()) {
    const State whole = gather(all_ops(), part(x, 0, x.size()));
    // Backwards in memory, forwards in the array.
    const auto bytes = static_cast<int64_t>(bytes_of(GetParam()));
    Data y(GetParam(), 2 * x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y.set(2 * (x.size() - i) - 1, x.bits(i));
    const std::byte* first = x.size() == 0 ? y.data() : y.at(2 * x.size() - 1);
    const ArrayRef turned(first, GetParam(), {static_cast<int64_t>(x.size())}, {-2 * bytes});
    EXPECT_EQ(gather(all_ops(), turned, {.threads = static_cast<int>(1 + r() % 3)}).save(),
              whole.save());
  }
}

TEST_P(AnyState, IsWhatItWasAfterSavingAndLoading) {
  for (const Data& x : some_data()) {
    for (const NanPolicy nan : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
      const State state = gather(all_ops(), part(x, 0, x.size()), {.nan = nan, .first = 11});
      const State loaded = State::load(state.save());
      EXPECT_EQ(loaded, state);
      EXPECT_EQ(loaded.save(), state.save());
      EXPECT_EQ(loaded.dtype(), GetParam());
      EXPECT_EQ(loaded.count(), x.size());
      EXPECT_EQ(loaded.answer("argmax"), state.answer("argmax"));
    }
  }
}

TEST_P(AnyState, OfADotProductMergesToo) {
  Random r(5);
  for (const Data& x : some_data()) {
    const Data y = test::generate(test::generators(GetParam())[2], GetParam(), x.size(), 9);
    const std::size_t cut = r() % (x.size() + 1);
    State parts = gather("dot", part(x, cut, x.size()), part(y, cut, x.size()));
    parts.merge(gather("dot", part(x, 0, cut), part(y, 0, cut)));
    EXPECT_EQ(parts, gather("dot", part(x, 0, x.size()), part(y, 0, x.size())));
    const oracle::Value expected =
        oracle::dot(oracle::type(name_of(GetParam())), x.data(), y.data(), x.size());
    EXPECT_EQ(test::compare("dot", parts.answer("dot"), expected), "");
  }
}

const Data& sample() {
  static const Data x = test::generate("nan", f32, 300, 1);
  return x;
}

TEST(State, RefusesToLoadBytesWithAnyBitChanged) {
  const State state = gather("sum,min,any", part(sample(), 0, 300), {.first = 5});
  std::vector<std::byte> bytes = state.save();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] ^= static_cast<std::byte>(1 << bit);
      EXPECT_EQ(code_of([&] { State::load(bytes); }), ErrorCode::bad_state) << i << " " << bit;
      bytes[i] ^= static_cast<std::byte>(1 << bit);
    }
  }
  EXPECT_EQ(State::load(bytes), state);
}

TEST(State, RefusesToLoadBytesCutShortOrTooMany) {
  std::vector<std::byte> bytes = gather("sum,min,any", part(sample(), 0, 300)).save();
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_EQ(code_of([&] { State::load(std::span(bytes).first(n)); }), ErrorCode::bad_state) << n;
  }
  bytes.push_back(std::byte{0});
  EXPECT_EQ(code_of([&] { State::load(bytes); }), ErrorCode::bad_state);
}

// A right checksum over almost anything that `save` does not write.
TEST(State, RefusesToLoadWhatItWouldNotSave) {
  const auto crc32 = [](std::span<const std::byte> bytes) {
    uint32_t crc = ~0u;
    for (const std::byte b : bytes) {
      crc ^= static_cast<uint32_t>(b);
      for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
    }
    return ~crc;
  };
  const std::vector<std::byte> good = gather("sum,min,any", part(sample(), 0, 300)).save();
  int loaded = 0;
  for (std::size_t i = 8; i + 4 < good.size(); ++i) {
    for (const int change : {1, 0x80, 0xff}) {
      std::vector<std::byte> bytes = good;
      bytes[i] ^= static_cast<std::byte>(change);
      const uint32_t crc = crc32(std::span(bytes).first(bytes.size() - 4));
      std::memcpy(bytes.data() + bytes.size() - 4, &crc, 4);
      try {
        const State state = State::load(bytes);
        EXPECT_EQ(state.save(), bytes) << "byte " << i;
        state.answer("sum");
        state.answer("min");
        ++loaded;
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::bad_state) << "byte " << i;
      }
    }
  }
  EXPECT_GT(loaded, 0);  // another number may stand in a word
}

TEST(State, RefusesElementsThatItHasAlready) {
  const Data& x = sample();
  const auto at = [&](std::size_t begin, std::size_t end) {
    return gather("argmin,sum", part(x, begin, end), {.first = begin});
  };
  State state = at(100, 200);
  const State before = state;
  for (const auto& [begin, end] : std::vector<std::pair<std::size_t, std::size_t>>{
           {100, 200}, {0, 101}, {199, 300}, {150, 151}, {0, 300}}) {
    EXPECT_EQ(code_of([&] { state.merge(at(begin, end)); }), ErrorCode::overlap);
    EXPECT_EQ(state, before) << "a refused merge changes nothing";
  }
  EXPECT_EQ(code_of([&] { state.merge(state); }), ErrorCode::overlap);
  state.merge(at(150, 150));
  EXPECT_EQ(state, before) << "nothing overlaps nothing";
  state.merge(at(200, 300));
  state.merge(at(0, 100));
  EXPECT_EQ(state, at(0, 300));
}

// Only an index says where an element stood; the value of an extreme does not.
TEST(State, OfExtremesMergesWithoutPlaces) {
  State state = gather("min,ptp", std::vector<float>{3, 1, 2});
  state.merge(gather("max,min", std::vector<float>{7, -4}));
  state.merge(gather("norminf", std::vector<float>{0.5f}, {.first = 1}));
  EXPECT_EQ(state.answer("min").as<float>(), -4);
  EXPECT_EQ(state.answer("max").as<float>(), 7);
  EXPECT_EQ(state.answer("ptp").as<float>(), 11);
  EXPECT_EQ(state.answer("norminf").as<float>(), 7);
  EXPECT_EQ(State::load(state.save()), state);
  EXPECT_EQ(code_of([&] { state.answer("argmin"); }), ErrorCode::bad_option);
  const State indexed = gather("argmin,max", std::vector<float>{7, -4}, {.first = 100});
  EXPECT_EQ(indexed.answer("min").as<float>(), -4);
  EXPECT_EQ(code_of([&] { state.merge(indexed); }), ErrorCode::bad_state);
}

// Without an index the state does not know the data's index range.
TEST(State, OfSumsMayBeMergedWithItself) {
  State state = gather("sum,count", std::vector{1.5, 2.0});
  state.merge(state);
  EXPECT_EQ(state.answer("sum").as<double>(), 7);
  EXPECT_EQ(state.answer("count").as<int64_t>(), 4);
}

TEST(State, RefusesMoreElementsThanAreCounted) {
  State state = gather("sum,count", std::vector<int8_t>{1, 1});
  for (int k = 0; k < 61; ++k) state.merge(state);
  EXPECT_EQ(state.answer("sum").as<int64_t>(), int64_t{1} << 62);
  const State before = state;
  EXPECT_EQ(code_of([&] { state.merge(state); }), ErrorCode::overflow);
  EXPECT_EQ(state, before);
}

TEST(State, OfNothingIsTheIdentity) {
  const State some = gather("mean,argmax", part(sample(), 0, 300), {.first = 4});
  State left = gather("mean,argmax", part(sample(), 0, 0)), right = some;
  right.merge(left);
  left.merge(some);
  EXPECT_EQ(left, some);
  EXPECT_EQ(right, some);
}

TEST(State, MadeByDefaultTakesTheKindOfTheFirst) {
  const State some = gather("mean,argmax", part(sample(), 0, 300), {.first = 4});
  State total;
  EXPECT_EQ(total.count(), 0u);
  total.merge(some);
  EXPECT_EQ(total, some);
  total.merge(State());
  EXPECT_EQ(total, some);
}

TEST(State, ThatWasMovedFromIsOneOfNothing) {
  State some = gather("mean", part(sample(), 0, 300));
  const State kept = some;
  const State taken = std::move(some);
  EXPECT_EQ(some, State());
  EXPECT_EQ(some.count(), 0u);
  EXPECT_EQ(some.save(), State().save());
  EXPECT_EQ(code_of([&] { some.answer("mean"); }), ErrorCode::bad_option);
  State other = some;
  other = some;
  other.merge(some);
  EXPECT_EQ(other, State());
  some.merge(taken);
  EXPECT_EQ(some, kept);
}

TEST(State, MergesOnlyWithItsOwnKind) {
  const std::vector<float> x{1, 2};
  const std::vector<double> y{1, 2};
  State state = gather("sum", x);
  EXPECT_EQ(code_of([&] { state.merge(gather("sum", y)); }), ErrorCode::bad_state);
  EXPECT_EQ(code_of([&] { state.merge(gather("norm1", x)); }), ErrorCode::bad_state);
  EXPECT_EQ(code_of([&] { state.merge(gather("sum", x, {.nan = NanPolicy::omit})); }),
            ErrorCode::bad_state);
  // Nothing is named that is alike.
  const auto says = [&](const State& other) -> std::string {
    try {
      state.merge(other);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(says(gather("norm1", x)),
            "merge: the states differ in the accumulators of their ops (sum,tally and "
            "sumabs,tally); gather both with the same options");
  EXPECT_EQ(says(gather("sum", y, {.nan = NanPolicy::raise})),
            "merge: the states differ in element type (f32 and f64) and NaN policy "
            "(propagate and raise); gather both with the same options");
  state.merge(gather("mean", x));  // gathers the same
  EXPECT_EQ(state.answer("mean").as<float>(), 1.5f);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
