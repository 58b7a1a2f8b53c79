// The totals that a lane keeps for an answer.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "onefold/cuda/kernel/quick/totals.hpp"
#include "onefold/cuda/kernels.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace {

using namespace onefold;

template <class T, kernel::OpSet ops, bool selects>
void expect_words() {
  if constexpr (kernel::has_totals<T, ops>()) {
    kernel::LaneTotals<T, ops, selects> totals;
    int words = 0;
    totals.each([&](auto&) { ++words; });
    EXPECT_EQ(words, totals.words) << name_of(dtype_of<T>) << " ops " << ops << " " << selects;
  }
}
template <class T, kernel::OpSet ops>
void expect_words() {
  expect_words<T, ops, false>();
  expect_words<T, ops, true>();
}

// Launches reserve memory by the number of words, which follows from the ops alone.
TEST(Totals, HaveAsManyWordsAsTheirOpsSay) {
  for (int t = 0; t < dtype_count; ++t) {
    visit(static_cast<DType>(t), []<class T>() {
#define ONEFOLD_ENTRY(name) expect_words<T, kernel::bit_of(kernel::OpIndex::name##_)>();
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
      using enum kernel::OpIndex;
      using kernel::bit_of;
      expect_words<T, bit_of(mean_) | bit_of(var_) | bit_of(min_) | bit_of(max_)>();
      expect_words<T, bit_of(argmin_) | bit_of(sum_) | bit_of(any_)>();
      if constexpr (kernel::digits_hold<T>(bit_of(sum_))) {
        expect_words<T, bit_of(sum_) | kernel::by_digits, false>();
      }
    });
  }
}

// A total of one kind gets an element that it does not notice in the place of one that does not
// count; totals of several kinds ask.
TEST(Totals, FillByTheirKind) {
  const auto fill = [](const char* ops) {
    const kernel::OpSet bits = cuda_backend::bits_of(parse_ops(ops));
    return kernel::fill_of(kernel::needed_totals<float>(bits));
  };
  using kernel::Fill;
  EXPECT_EQ(fill("var"), Fill::zero);
  EXPECT_EQ(fill("mse"), Fill::zero);
  EXPECT_EQ(fill("max"), Fill::lowest);
  EXPECT_EQ(fill("min"), Fill::highest);
  EXPECT_EQ(fill("count_nonzero"), Fill::counted);
  EXPECT_EQ(fill("ptp"), Fill::none);
  EXPECT_EQ(fill("argmin"), Fill::none);
  EXPECT_EQ(kernel::bits_of_fill<float>(Fill::lowest), 0xff800000u);
  EXPECT_EQ(kernel::bits_of_fill<bfloat16>(Fill::zero), 0x8000u);
  EXPECT_EQ(kernel::bits_of_fill<int8_t>(Fill::lowest), 0x80u);
  EXPECT_EQ(kernel::bits_of_fill<Bool8>(Fill::highest), 1u);
}

// Order of NaN and of zeros as on a device.
TEST(Totals, TakeTheExtremeOrNaN) {
  using kernel::extreme_or_nan;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(extreme_or_nan<true>(1, 2), 2);
  EXPECT_EQ(extreme_or_nan<false>(1, 2), 1);
  EXPECT_TRUE(std::isnan(extreme_or_nan<true>(nan, 2)));
  EXPECT_TRUE(std::isnan(extreme_or_nan<false>(1, nan)));
  EXPECT_FALSE(std::signbit(extreme_or_nan<true>(-0.0f, 0.0f)));
  EXPECT_TRUE(std::signbit(extreme_or_nan<false>(0.0f, -0.0f)));
}

}  // namespace
