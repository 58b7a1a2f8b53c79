// Exact totals of panels give the same words as states.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "generate.hpp"
#include "onefold/core/accumulator.hpp"
#include "onefold/engine/group/state_table.hpp"
#include "onefold/states.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

constexpr const char* asked[] = {
    "sum",        "mean,var", "norm2", "norm1",   "norm1,var,count_nonzero",
    "count_zero", "count",    "min",   "min,max", "mean,var,ptp"};

// The same by states: a mask that takes all elements has no table.
States by_states(const std::string& ops, const ArrayRef& x, Options options) {
  static constexpr uint8_t yes = 1;
  ArrayRef all(&yes, DType::boolean, x.shape);
  for (int d = 0; d < x.shape.rank(); ++d) all.strides[d] = 0;
  options.where = all;
  return gather_states(ops, x, options);
}

void expect_words_of_states(const ArrayRef& x) {
  for (const char* ops : asked) {
    for (int axis = 0; axis < x.shape.rank(); ++axis) {
      const std::vector<std::byte> want = by_states(ops, x, {.axes = {axis}}).save();
      for (const std::string_view target : cpu_targets()) {
        const States got = gather_states(ops, x, {.axes = {axis}, .target = target});
        EXPECT_TRUE(got.save() == want) << ops << " along axis " << axis << " by " << target;
      }
    }
  }
}

TEST(ExactTotals, AreTheWordsOfStates) {
  for (int t = 0; t < dtype_count; ++t) {
    const auto type = static_cast<DType>(t);
    for (const std::string_view g : test::generators(type)) {
      SCOPED_TRACE(test::describe(g, type, 1440, 7));
      const test::Data x = test::generate(g, type, 1440, 7);
      expect_words_of_states(ArrayRef(x.data(), type, Dims(10, 144)));
      expect_words_of_states(ArrayRef(x.data(), type, Dims(9, 8, 20)));
      ArrayRef turned(x.data(), type, Dims(20, 72));
      turned.strides = Dims(-turned.strides[1], 20 * turned.strides[1]);
      turned.data = x.at(19);
      expect_words_of_states(turned);
    }
  }
}

// Slices that cancel, have distant exponents, are -0 or are not finite, next to ordinary ones.
TEST(ExactTotals, OfHardSlicesAreTheWordsOfStates) {
  constexpr double inf = std::numeric_limits<double>::infinity(), tiny = 0x1p-1074;
  const double nan = std::numeric_limits<double>::quiet_NaN(), most = 0x1.fffffffffffffp1023;
  const std::vector<std::vector<double>> slices{
      {1, -1, 0},       {-0.0, -0.0, -0.0},    {0.0, -0.0, -0.0}, {1, 0x1p-1000, 0x1p1000},
      {most, most, 1},  {-most, -most, -tiny}, {tiny, tiny, 0},   {inf, 1, 2},
      {-inf, inf, 1},   {nan, 1, 2},           {1, 2, 3},         {-1, -2, 0x1p-60},
      {0x1p60, -1, -1}, {0x1p-500, 1, -1},     {-tiny, 0, 0},     {0x1p520, 0x1p-520, 0}};
  std::vector<double> x;
  for (int element = 0; element < 3; ++element) {
    for (const auto& s : slices) x.push_back(s[static_cast<std::size_t>(element)]);
  }
  expect_words_of_states(ArrayRef(x.data(), DType::f64, Dims(3, slices.size())));
  const std::vector<int64_t> whole{INT64_MAX, INT64_MIN, 1, -1, int64_t{1} << 53, 3, 0, 0, 7, -7};
  expect_words_of_states(ArrayRef(whole.data(), DType::i64, Dims(2, 5)));
  expect_words_of_states(ArrayRef(whole.data(), DType::u64, Dims(2, 5)));
}

// A table without room for some digits gets it, whatever was stored before.
TEST(ExactTotals, WidenATable) {
  const Layout layout = layout_of(Accumulators() | Accumulator::sum, DType::f64);
  const double high[] = {1, 0x1p200, 0x1p-300, -3}, low[] = {0, 1, 0, 0x1p-80}, rest[4] = {};
  StateTable table(DType::f64, layout, 8);
  uint8_t exact[] = {1, 1, 1, 1};
  table.put({.first = 1, .step = 2, .n = 4, .count = 5, .sum = {high, low, rest}}, exact);
  std::vector<int64_t> state(static_cast<std::size_t>(layout.words));
  for (Size i = 0; i < 4; ++i) {
    EXPECT_EQ(exact[i], 1) << i;
    std::vector<int64_t> want(state.size());
    for (const double v : {high[i], low[i]}) {
      accumulator::sum<double>::lift([&](int k, int64_t d) { want[static_cast<Size>(k)] += d; }, v,
                                     0);
    }
    canonicalise(want.data(), layout, DType::f64);
    table.get(2 * i + 1, state.data());
    EXPECT_EQ(state, want) << i;
    EXPECT_EQ(table.count(2 * i + 1), 5u);
    EXPECT_EQ(table.count(2 * i), 0u);
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
