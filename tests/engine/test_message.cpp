// Sums of messages equal merged states, for any engine, order and tree.
#include "onefold/message.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "expect_error.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;

// Adds the messages of several ranks, as an engine does.
State engine(const std::vector<State>& states) {
  std::vector<Message> messages;
  for (const State& s : states) messages.emplace_back(s);
  std::vector<int64_t> sum(messages[0].added().size());
  std::vector<std::span<const std::byte>> carried;
  for (const Message& m : messages) {
    EXPECT_EQ(m.kind(), messages[0].kind());
    EXPECT_EQ(m.added().size(), sum.size());
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += m.added()[k];
    carried.insert(carried.begin(), m.carried());
  }
  return messages.back().merged(sum, carried);
}

class AnyMessage : public testing::TestWithParam<int> {
 protected:
  DType type() const { return static_cast<DType>(GetParam()); }
};

TEST_P(AnyMessage, SumsToTheBytesOfOneGather) {
  for (const std::string_view g : test::generators(type())) {
    const Data x = test::generate(g, type(), 1000, 7);
    for (const char* ops : {"sum,var,any,count_nan,norm1", "min,max,ptp", "mean,argmin,argmax"}) {
      std::vector<State> parts;
      for (const auto& [begin, end] : {std::pair(0, 1), {1, 1}, {1, 400}, {400, 1000}}) {
        const auto first = static_cast<std::size_t>(begin);
        parts.push_back(gather(ops, ArrayRef(x.at(first), type(), {end - begin}),
                               {.first = static_cast<Size>(begin)}));
      }
      const State whole = gather(ops, ArrayRef(x.data(), type(), {1000}));
      EXPECT_EQ(engine(parts).save(), whole.save())
          << ops << " " << test::describe(g, type(), 1000, 7);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, AnyMessage, testing::Range(0, dtype_count), [](const auto& info) {
  return std::string(name_of(static_cast<DType>(info.param)));
});

// Does the same for states of slices; an engine may sum only a block of the slices.
States engine_of_slices(const std::vector<States>& states, Size first, Size n) {
  std::vector<StatesMessage> messages;
  for (const States& s : states) messages.emplace_back(s);
  std::vector<uint64_t> held(messages[0].held().size());
  for (const StatesMessage& m : messages) {
    for (std::size_t k = 0; k < held.size(); ++k) held[k] |= m.held()[k];
  }
  std::vector<int64_t> sum, rows;
  std::vector<std::vector<std::byte>> carried;
  std::vector<std::span<const std::byte>> blocks, ranges;
  for (StatesMessage& m : messages) {
    m.hold(held);
    EXPECT_EQ(m.kind(), messages[0].kind());
    const std::vector<int64_t> added(m.added().begin(), m.added().end());
    carried.emplace(carried.begin(), m.carried().begin(), m.carried().end());
    const std::size_t each = added.size() / m.size(), bytes = carried[0].size() / m.size();
    sum.resize(n * each);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += added[first * each + k];
    ranges.insert(ranges.begin(), m.ranges());
    std::vector<int64_t> mine = m.take_rows();
    mine.erase(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(first * m.words_each()));
    mine.resize(n * m.words_each());
    if (rows.empty()) {
      rows = mine;
    } else {
      m.merge(rows.data(), mine.data(), n);
    }
    EXPECT_EQ(m.adds(), bytes == 0);
    blocks.clear();
    for (const auto& c : carried) blocks.push_back(std::span(c).subspan(first * bytes, n * bytes));
  }
  const States by_sums = messages.back().merged(first, sum, blocks, ranges);
  EXPECT_EQ(by_sums, messages.back().merged_rows(first, rows, ranges));
  return by_sums;
}

TEST_P(AnyMessage, OfSlicesSumsToTheBytesOfOneGather) {
  constexpr int64_t rows = 60, slices = 17;
  for (const std::string_view g : test::generators(type())) {
    const Data x = test::generate(g, type(), rows * slices, 7);
    for (const char* ops : {"sum,var,any,count_nan,norm1", "min,max,ptp", "mean,argmin,argmax"}) {
      std::vector<States> parts;
      for (const auto& [begin, end] : {std::pair(0, 1), {1, 1}, {1, 40}, {40, 60}}) {
        const auto first = static_cast<std::size_t>(begin);
        parts.push_back(gather_states(ops,
                                      ArrayRef(x.at(first * slices), type(), {end - begin, slices}),
                                      {.axes = {0}, .first = first}));
      }
      const States whole =
          gather_states(ops, ArrayRef(x.data(), type(), {rows, slices}), {.axes = {0}});
      EXPECT_EQ(engine_of_slices(parts, 0, slices).save(), whole.save())
          << ops << " " << test::describe(g, type(), rows * slices, 7);
      const States block = engine_of_slices(parts, 5, 7);
      for (Size i = 0; i < 7; ++i) EXPECT_EQ(block[i], whole[5 + i]);
    }
  }
}

// Each of three ranks has a limb whose digits are at their maximum, with both signs; others cancel
// down to a lower limb.
TEST(StatesMessage, CarriesBeyondTheHighestLimbAndHoldsNoLimbThatIsZero) {
  const double full = 0x1.fffffffep+45;  // 2^32 - 1 in units of limb 34 of f64
  const std::vector<double> x{full, -full, full, 0, full, -full, -full, 0, full, -full, 1, 0};
  std::vector<States> parts;
  for (std::size_t row = 0; row < 3; ++row) {
    parts.push_back(gather_states("sum", ArrayRef(&x[4 * row], f64, {1, 4}), {.axes = {0}}));
  }
  const States whole = gather_states("sum", ArrayRef(x.data(), f64, {3, 4}), {.axes = {0}});
  EXPECT_EQ(engine_of_slices(parts, 0, 4).save(), whole.save());
  const States third = engine_of_slices(parts, 2, 1);
  EXPECT_EQ(third[0], whole[2]);
  EXPECT_LT(third.bytes(), whole.bytes() / 4);
}

TEST(StatesMessage, RefusesWhatNoStatesOfItsKindGive) {
  const std::vector<double> x{1, 2, 3, 4};
  StatesMessage m(gather_states("sum,min", ArrayRef(x.data(), f64, {2, 2}), {.axes = {0}}));
  const std::vector<uint64_t> none(m.held().size());
  const std::vector<std::byte> bytes(m.carried().begin(), m.carried().end());
  const std::vector<std::span<const std::byte>> carried{bytes}, nothing;
  const std::vector<int64_t> sum(m.added().begin(), m.added().end());
  test::expect_error(ErrorCode::bad_state, {"different words of their states"},
                     [&] { m.hold(none); });
  test::expect_error(ErrorCode::bad_state, {"other slices"},
                     [&] { m.merged(1, sum, carried, nothing); });
  test::expect_error(ErrorCode::bad_state, {"other slices"},
                     [&] { m.merged(0, std::span(sum).first(3), carried, nothing); });
  std::vector<int64_t> absurd = sum;
  absurd.back() = -1;  // elements of the last slice
  test::expect_error(ErrorCode::bad_state, {"too many elements"},
                     [&] { m.merged(0, absurd, carried, nothing); });
  const std::vector<std::span<const std::byte>> cut{std::span(bytes).first(8)};
  test::expect_error(ErrorCode::bad_state, {"other slices"},
                     [&] { m.merged(0, sum, cut, nothing); });
}

// Slices with 2^32 elements or more send their number in two halves, so more than 2^63 are noticed.
TEST(StatesMessage, RefusesAnElementThatIsTwoExtremes) {
  const std::vector<double> x{1, 2, 3};
  const StatesMessage m(gather_states("argmin,argmax", x));
  std::vector<int64_t> rows = m.rows();
  const auto third = std::find(rows.begin(), rows.end(), 2);  // the index of the greatest element
  ASSERT_NE(third, rows.end());
  const std::span<const std::byte> ranges[] = {m.ranges()};
  EXPECT_EQ(m.merged_rows(0, rows, ranges), gather_states("argmin,argmax", x));
  *third = 0;
  test::expect_error(ErrorCode::bad_state, {"the extremes and their indices disagree"},
                     [&] { m.merged_rows(0, rows, ranges); });
}

TEST(StatesMessage, CountsBeyond63BitsAreSeen) {
  const std::vector<double> x{1, 2};
  States one = gather_states("min", ArrayRef(x.data(), f64, {2, 1}), {.axes = {0}}), large = one;
  for (int k = 0; k < 31; ++k) large.merge(States(large));
  EXPECT_EQ(large.count(), Size{1} << 32);
  const States both = engine_of_slices({one, large, one}, 0, 1);
  EXPECT_EQ(both.count(), (Size{1} << 32) + 4);
  for (int k = 0; k < 30; ++k) large.merge(States(large));  // gives 2^62 elements
  EXPECT_EQ(engine_of_slices({large, one}, 0, 1).count(), (Size{1} << 62) + 2);
  test::expect_error(ErrorCode::overflow, {"2^63"}, [&] {
    engine_of_slices({large, large, one}, 0, 1);
  });
}

TEST(Message, TakesAMillionStatesWithoutACarry) {
  // The worst digits: all ones, with both signs.
  const std::vector<double> x{-std::ldexp(1, -1074), 1.7976931348623157e308, -1e-300, 3};
  const Message m(gather("sum,var", x));
  std::vector<int64_t> sum(m.added().begin(), m.added().end());
  constexpr int64_t ranks = 1'000'000;
  for (int64_t& w : sum) ASSERT_FALSE(__builtin_mul_overflow(w, ranks, &w));
  const State all = m.merged(sum, {});
  EXPECT_EQ(all.count(), 4u * ranks);
  State merged = gather("sum,var", x), doubled = merged;
  for (int bits = ranks, first = 1; bits != 0; bits >>= 1) {  // merges by doubling
    if (bits & 1) {
      if (first != 0) merged = doubled;
      if (first == 0) merged.merge(doubled);
      first = 0;
    }
    doubled.merge(State(doubled));
  }
  EXPECT_EQ(all.save(), merged.save());
}

TEST(Message, OfDifferentKindsDiffersInKind) {
  const std::vector<double> x{1, 2};
  const std::vector<float> y{1, 2};
  const auto kind = [](const State& s) { return Message(s).kind(); };
  EXPECT_EQ(kind(State()), 0u);
  EXPECT_EQ(kind(gather("mean", x)), kind(gather("sum", std::vector<double>{})));
  EXPECT_NE(kind(gather("sum", x)), kind(gather("sum", y)));
  EXPECT_NE(kind(gather("sum", x)), kind(gather("var", x)));
  EXPECT_NE(kind(gather("min", x)), kind(gather("argmin", x)));
  EXPECT_NE(kind(gather("sum", x)), kind(gather("sum", x, {.nan = NanPolicy::omit})));
}

TEST(Message, RefusesWhatNoStatesGive) {
  const Message m(gather("sum,argmin", std::vector<double>{1, 2}));
  const std::span<const std::byte> carried[] = {m.carried(), m.carried()};
  std::vector<int64_t> sum(m.added().begin(), m.added().end());
  const auto expect = [&](ErrorCode code, const char* part, auto&& words, auto&& bytes) {
    test::expect_error(code, {part}, [&] { m.merged(words, bytes); });
  };
  using Bytes = std::vector<std::span<const std::byte>>;
  expect(ErrorCode::bad_state, "another kind", std::span(sum).first(1), Bytes{});
  expect(ErrorCode::overlap, "cover the elements from 0 to 1", sum, carried);
  expect(ErrorCode::bad_state, "end early", sum, Bytes{m.carried().first(12)});
  std::vector<std::byte> longer(m.carried().begin(), m.carried().end());
  longer.resize(longer.size() + 8);
  expect(ErrorCode::bad_state, "that this kind of state does not have", sum, Bytes{longer});
  sum[1] = int64_t{1} << 31;
  expect(ErrorCode::overflow, "2^63", sum, Bytes{m.carried()});
  sum[1] = -1;
  expect(ErrorCode::bad_state, "is negative", sum, Bytes{m.carried()});
  sum[1] = 0;
  sum[0] = 1;  // the tally now has two elements
  expect(ErrorCode::bad_state, "", sum, Bytes{m.carried()});
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
