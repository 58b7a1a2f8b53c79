// Rows of words, processed in the lanes of vectors, for every instruction set of this machine.
#include "onefold/engine/group/rows.hpp"

#include <gtest/gtest.h>

#include <hwy/targets.h>

#include "generate.hpp"
#include "onefold/core/exact/limbs.hpp"
#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/group/group_plan.hpp"
#include "onefold/engine/state/states.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;

// Calls f() for each instruction set.
template <class F>
void by_each_target(F f) {
  for (const int64_t target : {HWY_SSE4, HWY_AVX2, HWY_AVX3, HWY_NEON}) {
    if ((hwy::SupportedTargets() & target) == 0) continue;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    f();
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(Rows, CarryToDigitsOfOneSign) {
  by_each_target([] {
    Random random(1);
    for (int round = 0; round < test::scaled(200); ++round) {
      const int digits = 1 + static_cast<int>(random() % 9);
      const Size n = 1 + random() % 19;
      const auto width = static_cast<std::size_t>(digits) + 3;
      const RowShape shape{.width = static_cast<int>(width),
                           .limbs = {{Accumulator::sum, 1, digits, 0, false}},
                           .flags = {static_cast<int>(width) - 1}};
      std::vector<int64_t> rows(n * width);
      for (int64_t& w : rows) w = static_cast<int64_t>(random()) >> (2 + random() % 62);
      std::vector<int64_t> right = rows;
      uint64_t above = 0;
      for (Size i = 0; i < n; ++i) {
        int64_t* const digit = &right[i * width + 1];
        carry(digit, digits);
        if (digit[digits - 1] < 0) {
          for (int k = 0; k < digits; ++k) digit[k] = -digit[k];
          carry(digit, digits);
          for (int k = 0; k < digits; ++k) digit[k] = -digit[k];
        }
        if (std::abs(digit[digits - 1]) >> 32 != 0) above = 1;
        right[(i + 1) * width - 1] = right[(i + 1) * width - 1] != 0 ? 1 : 0;
      }
      EXPECT_EQ(carry_rows(shape, rows.data(), n), above);
      EXPECT_EQ(rows, right) << digits << " digits, " << n << " rows";
    }
  });
}

// Makes the states of slices of `each` elements.
States::Impl slices_of(const char* ops, DType type, const Data& x, Size slices, Size each) {
  const Plan plan = group_plan(ops, type);
  States::Impl impl{.kind = kind_of(plan, 0),
                    .shape = Dims(static_cast<int64_t>(slices)),
                    .slices = {type, plan.layout, slices}};
  std::vector<int64_t> state(static_cast<std::size_t>(plan.layout.words));
  for (Size i = 0; i < slices; ++i) {
    clear(state.data(), plan.layout, type);
    Nest line{.bytes = bytes_of(type)};
    add_axis(line, each, 1, true);
    backend::gather(plan, line, x.at(i * each), nullptr, state.data());
    impl.slices.put(i, 1, state.data(), false, [&](Size) { return each; });
  }
  impl.slices.trim();
  impl.count_largest();
  return impl;
}

// Returns how many rows are surely valid; why_invalid() must accept those.
Size sure(const States::Impl& states) {
  const RowShape shape = states.slices.shape();
  std::vector<int64_t> state(static_cast<std::size_t>(states.kind.layout.words));
  Size n = 0;
  for (Size i = 0; i < states.slices.size(); ++i) {
    if (!surely_valid(shape, states.slices.row(i), states.kind.count)) continue;
    ++n;
    EXPECT_TRUE(states.slices.canonical(i, state.data())) << "row " << i;
    EXPECT_LE(states.slices.count(i), states.kind.count);
    states.slices.get(i, state.data());
    const char* const why = why_invalid(states.kind, states.slices.count(i), state.data());
    EXPECT_EQ(why, nullptr) << "row " << i << ": " << why;
  }
  return n;
}

class AnyRows : public testing::TestWithParam<int> {
 protected:
  DType type() const { return static_cast<DType>(GetParam()); }
};

// Genuine rows, and rows whose words were changed slightly or completely.
TEST_P(AnyRows, ThatAreSurelyValidAreValid) {
  Random random(2);
  for (const char* ops :
       {"sum", "mean,var", "norm1,rms,count_zero", "norm1,var", "min,max", "mean,var,min,max",
        "mean,min,max", "norm2,min,max", "norm1,min,max", "min,max,count_zero"}) {
    for (const std::string_view g : test::generators(type())) {
      SCOPED_TRACE(testing::Message() << ops << " " << test::describe(g, type(), 95, 3));
      const Data x = test::generate(g, type(), 95, 3);
      const States::Impl genuine = slices_of(ops, type(), x, 19, 5);
      sure(genuine);
      for (int round = 0; round < 3; ++round) {
        States::Impl changed = genuine;
        std::vector<int64_t> words = genuine.slices.words();
        for (int64_t& w : words) {
          if (random() % 8 != 0) continue;
          const uint64_t r = random(), u = static_cast<uint64_t>(w);
          w = r % 4 == 0   ? static_cast<int64_t>(u + 1 - (r >> 8 & 2))
              : r % 4 == 1 ? static_cast<int64_t>(0 - u)
              : r % 4 == 2 ? static_cast<int64_t>(r) >> (r >> 4 & 63)
                           : words[(r >> 4) % words.size()];
        }
        ASSERT_TRUE(changed.slices.assign(genuine.slices.used(), words));
        sure(changed);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, AnyRows, testing::Range(0, dtype_count), [](const auto& info) {
  return std::string(name_of(static_cast<DType>(info.param)));
});

// All small extremes, sums and squares of a few integers, most of which no data give.
TEST(Rows, OfIntegersThatAreSurelyValidAreValid) {
  for (const char* ops : {"mean,min,max", "mean,var,min,max", "norm2,min,max", "norm2,max"}) {
    const Data x = test::generate("small", DType::i32, 8, 3);
    States::Impl states = slices_of(ops, DType::i32, x, 2, 4);
    const RowShape shape = states.slices.shape();
    const std::vector<int64_t> row(
        states.slices.words().begin(),
        states.slices.words().begin() + static_cast<int64_t>(states.slices.used().size()));
    std::vector<int64_t> rows;
    const auto put = [&](int slot, int64_t v) {
      if (slot >= 0) rows[rows.size() - row.size() + static_cast<std::size_t>(slot)] = v;
    };
    const bool squared = shape.limbs.back().accumulator == Accumulator::sumsq;
    for (int64_t at = 0; at < 5 * 7 * 7 * 31 * 41; ++at) {
      const int64_t n = at % 5 + 1, low = at / 5 % 7 - 3, high = at / 35 % 7 - 3,
                    sum = at / 245 % 31 - 15, squares = at / 7595;
      if (!squared && squares != 0) break;
      rows.insert(rows.end(), row.begin(), row.end());
      put(shape.count, n);
      put(shape.n, n);
      put(shape.extremes[0], low);
      put(shape.extremes[1], high);
      for (const RowShape::Limbs& p : shape.limbs) {
        for (int k = 0; k < p.digits; ++k) put(p.slot + k, 0);
        put(p.slot, p.accumulator == Accumulator::sum ? sum : squares);
      }
    }
    ASSERT_TRUE(states.slices.assign(states.slices.used(), rows));
    states.kind.count = 5;
    EXPECT_GT(sure(states), 200u) << ops;
  }
}

// If no row were sure, the quick check would save nothing.
TEST(Rows, OfTameDataAreSurelyValid) {
  for (const char* ops : {"sum", "mean,var", "norm1,rms,count_zero", "min,max", "mean,var,min,max",
                          "max,mean,count_zero", "min,norm2", "norm1,min"}) {
    const Data x = test::generate("normal", DType::f64, 3300, 3);
    EXPECT_EQ(sure(slices_of(ops, DType::f64, x, 330, 10)), 330u) << ops;
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
