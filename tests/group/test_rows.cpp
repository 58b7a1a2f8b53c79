// Rows of words in the lanes of vectors, for every instruction set that this machine has.
#include "group/rows.hpp"

#include <gtest/gtest.h>

#include <hwy/targets.h>

#include "api/states.hpp"
#include "backend/run.hpp"
#include "generate.hpp"
#include "group/group_plan.hpp"
#include "onefold/exact/limbs.hpp"

namespace onefold {
namespace {

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
    for (int round = 0; round < 200; ++round) {
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

// States of slices of `each` elements.
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

// How many rows are not in doubt; those must be ones that contradiction() accepts.
Size sure(const States::Impl& states) {
  std::vector<uint8_t> doubt(states.slices.size());
  doubt_rows(states.slices.shape(), states.slices.words().data(), doubt.size(), states.kind.count,
             doubt.data());
  HeldSlices held(states);
  std::vector<int64_t> scratch(static_cast<std::size_t>(states.kind.layout.words));
  Size n = 0;
  for (Size i = 0; i < doubt.size(); ++i) {
    if (doubt[i] != 0) continue;
    ++n;
    EXPECT_TRUE(states.slices.canonical(i, scratch.data())) << "row " << i;
    EXPECT_LE(states.slices.count(i), states.kind.count);
    const char* const why = contradiction(held[i]);
    EXPECT_EQ(why, nullptr) << "row " << i << ": " << why;
  }
  return n;
}

class AnyRows : public testing::TestWithParam<int> {
 protected:
  DType type() const { return static_cast<DType>(GetParam()); }
};

// Genuine rows, and rows of which words have been changed a little or altogether.
TEST_P(AnyRows, ThatAreNotInDoubtAreGivenByData) {
  Random random(2);
  for (const char* ops : {"sum", "mean,var", "norm1,rms,count_zero", "norm1,var", "min,max"}) {
    for (const std::string_view g : test::generators(type())) {
      SCOPED_TRACE(testing::Message() << ops << " " << test::describe(g, type(), 95, 3));
      const Data x = test::generate(g, type(), 95, 3);
      const States::Impl genuine = slices_of(ops, type(), x, 19, 5);
      by_each_target([&] { sure(genuine); });
      for (int round = 0; round < 3; ++round) {
        States::Impl changed = genuine;
        std::vector<int64_t> words = genuine.slices.words();
        for (int64_t& w : words) {
          if (random() % 8 != 0) continue;
          const uint64_t r = random();
          w = r % 4 == 0   ? w + 1 - static_cast<int64_t>(r >> 8 & 2)
              : r % 4 == 1 ? -w
              : r % 4 == 2 ? static_cast<int64_t>(r) >> (r >> 4 & 63)
                           : words[(r >> 4) % words.size()];
        }
        ASSERT_TRUE(changed.slices.assign(genuine.slices.used(), words));
        by_each_target([&] { sure(changed); });
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, AnyRows, testing::Range(0, dtype_count), [](const auto& info) {
  return std::string(name_of(static_cast<DType>(info.param)));
});

// Otherwise all rows could be in doubt, and the check would save nothing.
TEST(Rows, OfTameDataAreNotInDoubt) {
  by_each_target([] {
    for (const char* ops : {"sum", "mean,var", "norm1,rms,count_zero", "min,max"}) {
      const Data x = test::generate("normal", DType::f64, 3300, 3);
      EXPECT_EQ(sure(slices_of(ops, DType::f64, x, 330, 10)), 330u) << ops;
    }
  });
}

}  // namespace
}  // namespace onefold
