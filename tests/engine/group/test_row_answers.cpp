#include "onefold/engine/group/row_answers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "generate.hpp"
#include "onefold/engine/group/group_plan.hpp"
#include "onefold/engine/request/output.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Random;

double drawn(Random& random, int kind) {
  const auto whole = static_cast<double>(static_cast<int64_t>(random() % 2'000'001) - 1'000'000);
  switch (kind) {
    case 0:
      return whole / 100;  // prices
    case 1:
      return whole;
    case 2:
      return std::ldexp(static_cast<double>(random() >> 11), -60);  // 53 random bits
    case 3:
      return std::ldexp(whole, static_cast<int>(random() % 60) - 30);
    case 4:
      return random() % 3 == 0 ? -0.0 : whole * (random() % 2 == 0 ? 0 : 1e-3);
    default:
      return bit_cast<double>(random());  // NaN, infinities, all magnitudes
  }
}

// Whatever rows answer has the bits of the states, and the usual groups are answered by rows.
TEST(RowAnswers, AreThoseOfStates) {
  Random random(11);
  for (const bool decimals : {false, true}) {
    for (const char* ops : {"mean", "sum,count", "mean,min,max,sum,count", "min,max,count"}) {
      for (int kind = 0; kind < 6; ++kind) {
        SCOPED_TRACE(std::string(ops) + " of kind " + std::to_string(kind));
        Query query(ops);
        query.decimals = decimals;
        const Plan plan = group_plan(query, DType::f64);
        constexpr Size groups = 500;
        StateTable table(plan, groups, StateTable::Keeps::words);
        for (uint32_t g = 0; g < groups; ++g) {
          // Of most groups the mean is a quotient that does not end.
          for (Size n = g % 7 == 0 ? 1 + random() % 300 : 1 + random() % 9; n > 0; --n) {
            const double x = drawn(random, kind);
            table.add(&g, reinterpret_cast<const std::byte*>(&x), 1, 1);
          }
        }
        const RowAnswers rows(plan, table);
        ASSERT_TRUE(rows);
        Output quick(plan, groups), right(plan, groups);
        const std::vector<std::byte*> to = quick.places(), by_states = right.places();
        std::vector<int64_t> state(static_cast<std::size_t>(plan.layout.words));
        Size answered = 0;
        for (Size g = 0; g < groups; ++g) {
          if (!rows.put(table.row(g), to, g)) continue;
          ++answered;
          table.get(g, state.data());
          right.put(plan, g, state.data());
          for (std::size_t k = 0; k < to.size(); ++k) {
            EXPECT_EQ(std::memcmp(to[k] + 8 * g, by_states[k] + 8 * g, 8), 0)
                << plan.ops[k]->name << " of group " << g;
          }
        }
        if (kind < 2 || (kind == 2 && !decimals)) {
          EXPECT_GE(answered, groups - 5);
        }
      }
    }
  }
}

TEST(RowAnswers, LeaveOtherOpsToStates) {
  for (const char* ops : {"var", "norm2", "ptp", "count_nan"}) {
    const Plan plan = group_plan(Query(ops), DType::f64);
    EXPECT_FALSE(RowAnswers(plan, StateTable(plan, 3, StateTable::Keeps::words))) << ops;
  }
  const Plan plan = group_plan(Query("mean"), DType::f32);
  EXPECT_FALSE(RowAnswers(plan, StateTable(plan, 3, StateTable::Keeps::words)));
}

// Ties go to the even neighbour, and a rest below the last bit decides them.
TEST(RowAnswers, RoundQuotientsOnce) {
  double r = 0;
  const Uint128 tie = (Uint128{1} << 54) + 2, odd = (Uint128{1} << 54) + 6;
  EXPECT_TRUE(round_quotient(tie, false, 0, 1, r));
  EXPECT_EQ(r, 0x1p54);
  EXPECT_TRUE(round_quotient(odd, true, 0, 1, r));
  EXPECT_EQ(r, -(0x1p54 + 8));
  EXPECT_TRUE(round_quotient((tie << 60) + 1, false, -60, 1, r));
  EXPECT_EQ(r, 0x1p54 + 4);
  EXPECT_TRUE(round_quotient(tie * 3 + 1, false, 0, 3, r));
  EXPECT_EQ(r, 0x1p54 + 4);
  EXPECT_TRUE(round_quotient((Uint128{1} << 53) * 2 - 1, false, 0, 1, r));
  EXPECT_EQ(r, 0x1p54);
  EXPECT_TRUE(round_quotient(1, false, -1022, 1, r));
  EXPECT_EQ(r, 0x1p-1022);
  EXPECT_FALSE(round_quotient(1, false, -1023, 1, r));
  EXPECT_FALSE(round_quotient(1, false, 1024, 1, r));
  EXPECT_TRUE(round_quotient(~Uint128{0}, false, 0, (uint64_t{1} << 63) - 1, r));
  EXPECT_EQ(r, 0x1p65);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
