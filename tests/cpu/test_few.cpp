// Answers of a few elements without states equal those from exact words, or are undecided.
#include "onefold/cpu/family/few.hpp"

#include <gtest/gtest.h>

#include "generate.hpp"
#include "onefold/fold.hpp"

namespace onefold::cpu_backend {
namespace ONEFOLD_FILE {

using test::Data;

constexpr Size sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,   12,  15,  16,      17,
                          24, 31, 32, 33, 48, 63, 64, 65, 100, 127, 300, most_few};

struct Tries {
  int all = 0, decided = 0;
};

// Compares every op that needs no state with the fold by name, which uses states.
void check(DType t, std::string_view generator, Size n, uint64_t seed, Tries& tries) {
  const Data x = test::generate(generator, t, n, seed), y = test::generate(generator, t, n, ~seed);
  const ArrayRef a(x.data(), t, {n}), b(y.data(), t, {n});
  for (const OpRow& op : op_rows()) {
    const DType result = op.about->result.of(t);
    const Few few(op, t, result);
    if (!few) continue;
    const bool pair = op.about->inputs == 2;
    for (const NanPolicy nan : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
      const Options options{.nan = nan, .ddof = Correction(static_cast<int>(seed % 3))};
      uint64_t bits = 0;
      const bool plain = nan == NanPolicy::propagate && n > 2;  // counts depend on the policy, var
                                                                // on ddof
      tries.all += plain;
      if (!few.fold(x.data(), pair ? y.data() : nullptr, n, nan, options.ddof, &bits)) continue;
      tries.decided += plain;
      const Answers whole = pair ? fold(op.name, a, b, options) : fold(op.name, a, options);
      const Value expected = whole.list[0][0];
      ASSERT_EQ(expected.status, Status::ok) << op.name << " of " << n << " " << generator;
      ASSERT_EQ(expected.bits, bits)
          << op.name << " of " << test::describe(generator, t, n, seed) << ", ddof " << seed % 3;
    }
  }
}

TEST(Few, GivesTheAnswersOfExactWordsOrNone) {
  for (int d = 0; d < dtype_count; ++d) {
    const auto t = static_cast<DType>(d);
    for (const std::string_view generator : test::generators(t)) {
      Tries tries;
      for (const Size n : sizes) check(t, generator, n, 7 * n + static_cast<Size>(d), tries);
    }
  }
}

TEST(Few, DecidesNearlyAllTameElements) {
  if (panel_end(usable_targets()[0]) == nullptr) GTEST_SKIP() << "no vectors here";
  for (const DType t : {f32, f64, i32}) {
    Tries tries;
    for (const Size n : sizes) check(t, test::generators(t)[0], n, n, tries);
    EXPECT_GT(tries.all, is_floating(t) ? 250 : 80) << name_of(t);
    EXPECT_GT(tries.decided, tries.all * 95 / 100) << name_of(t) << " of " << tries.all;
  }
}

TEST(Few, HasNoWayForWhatIsNoSumOrEnd) {
  EXPECT_FALSE(Few());
  EXPECT_FALSE(Few(find_op("ptp"), f32, f32));
  EXPECT_FALSE(Few(find_op("corr"), f64, f64));
  EXPECT_FALSE(Few(find_op("min"), f32, f64));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::cpu_backend
