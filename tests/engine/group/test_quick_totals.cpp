// Totals of groups in small records, beside elements added to a table one by one.
#include "onefold/engine/group/quick_totals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "generate.hpp"
#include "onefold/engine/group/group_plan.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Random;

constexpr Size groups = 7;

enum class Kind : uint8_t { normal, prices, drifting, any_bits, special, integers };

double element(Kind kind, Random& random, int round) {
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
  switch (kind) {
    case Kind::normal:
      return unit;
    case Kind::prices:
      return std::round(unit * 1e6) / (random() % 8 == 0 ? 1000 : 100);
    case Kind::drifting:
      return std::ldexp(unit, 40 * (round % 50) - 1000);
    case Kind::any_bits:
      return bit_cast<double>(random());
    case Kind::integers:
      return std::round(unit * 0x1p54);
    case Kind::special: {
      constexpr double infinity = std::numeric_limits<double>::infinity();
      const double list[] = {0.0, -0.0, infinity, -infinity, std::nan(""), 5e-324, 1.7e308, 0.1};
      return random() % 4 == 0 ? list[random() % 8] : unit;
    }
  }
  return 0;
}

void compare(const Plan& plan, Kind kind, Size most) {
  Random random(3);
  StateTable right(plan, groups, StateTable::Keeps::words),
      table(plan, 0, StateTable::Keeps::words);
  QuickTotals totals(plan);
  for (int round = 0; round < test::scaled(60); ++round) {
    const Size n = random() % most, step = 1 + random() % 2;
    std::vector<uint32_t> group(n);
    std::vector<double> x(n * step);
    std::vector<std::byte> is_long(n);
    for (uint32_t& g : group) g = static_cast<uint32_t>(random() % (groups - 1));
    for (double& v : x) v = element(kind, random, round);
    for (std::byte& b : is_long) b = std::byte{random() % 16 == 0};
    const std::byte* const longs = round % 2 == 0 ? nullptr : is_long.data();
    const auto* const from = reinterpret_cast<const std::byte*>(x.data());
    right.add(group.data(), from, step, n, longs);
    totals.add(group.data(), groups, from, step, n, longs, table);
  }
  totals.settle(table);
  ASSERT_EQ(table.size(), groups);
  std::vector<int64_t> one(static_cast<Size>(plan.layout.words)), other(one.size());
  for (Size g = 0; g < groups; ++g) {
    right.get(g, one.data());
    table.get(g, other.data());
    ASSERT_EQ(one, other) << "group " << g;
  }
}

TEST(QuickTotals, AreThoseOfElements) {
  for (const bool decimals : {false, true}) {
    for (const char* ops : {"sum", "mean,min,max", "count,mean", "ptp"}) {
      Query query(ops, {});
      query.decimals = decimals;
      const Plan plan = group_plan(query, DType::f64);
      ASSERT_TRUE(QuickTotals::serve(plan));
      for (const Kind kind : {Kind::normal, Kind::prices, Kind::drifting, Kind::any_bits,
                              Kind::special, Kind::integers}) {
        SCOPED_TRACE(std::string(ops) + (decimals ? " of decimals, " : ", ") +
                     std::to_string(static_cast<int>(kind)));
        compare(plan, kind, 40);
        compare(plan, kind, 2000);
      }
    }
  }
}

TEST(QuickTotals, ServeNoOtherStates) {
  for (const char* ops : {"var", "argmax", "sum,count_zero", "norm1"}) {
    EXPECT_FALSE(QuickTotals::serve(group_plan(Query(ops, {}), DType::f64, {.places = true})))
        << ops;
  }
  EXPECT_FALSE(QuickTotals::serve(group_plan(Query("sum", {}), DType::i64)));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
