// The rung exact_sum for elements that are no integers: the same bits for every block, grid and
// order, the number nearest to the sum, and NaN outside of its range.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lab/ladder.hpp"
#include "lab/simulate.hpp"
#include "onefold/machine/sim.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

template <class T>
constexpr Type type = sizeof(T) == 4 ? Type::f32 : Type::f64;

template <class T>
T sum(const std::vector<T>& x, unsigned block = 64, unsigned grid = 3, unsigned schedule = 0) {
  const Entry& e = *find_rung(reduce_ladder(), "exact_sum");
  const Plan p = plan(e, false, x.size(), block, grid);
  sim::Engine gpu({.chip = sim::sm_90, .schedule = schedule});
  const std::vector<unsigned> zeros(p.ticket_size, 0);
  const auto in = gpu.allocate<T>("input", x.size(), x.data());
  const auto out = gpu.allocate<T>("first", p.first_size, static_cast<const T*>(nullptr));
  const auto ticket = gpu.allocate<unsigned>("ticket", zeros.size(), zeros.data());
  gpu.expect_zero(ticket);
  const Arguments a{in.space, out.space, ticket.space, x.size(), 0};
  const Kernel kernel = e.kernel(type<T>, Op::sum, block, false);
  sim::launch(gpu, {.grid = static_cast<unsigned>(p.steps[0].grid), .block = block},
              [&] { kernel(a); });
  EXPECT_TRUE(gpu.report().flaws.empty());
  T answer{};
  gpu.read(out, &answer, 1);
  return answer;
}

template <class T>
class ExactSum : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(ExactSum, Floats);

TYPED_TEST(ExactSum, IsTheNearestNumberAndTheSameForEveryBlockGridAndSchedule) {
  using T = TypeParam;
  std::vector<T> x(3001);
  int64_t total = 0;  // in 2^-32
  uint64_t s = 88172645463325252u;
  for (T& v : x) {
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    // 24 bits at one of 30 places: sums of them do not fit a double.
    const int64_t k = (static_cast<int64_t>(s >> 40) - (1 << 23)) << (s % 30);
    v = static_cast<T>(k) / T(4294967296.0);
    total += k;
  }
  const T nearest = static_cast<T>(total) / T(4294967296.0);
  for (const unsigned block : {32u, 128u, 1024u}) {
    for (const unsigned grid : {1u, 2u, 7u}) {
      for (const unsigned schedule : {0u, 1u, 5u}) {
        ASSERT_EQ(sum(x, block, grid, schedule), nearest) << block << ' ' << grid;
      }
    }
  }
  std::reverse(x.begin(), x.end());
  EXPECT_EQ(sum(x), nearest);
}

TYPED_TEST(ExactSum, IsNaNForElementsOutsideItsRange) {
  using T = TypeParam;
  constexpr T inf = std::numeric_limits<T>::infinity();
  for (const T bad : {T(2147483648.0), T(-2147483648.0), std::ldexp(T(1), -33), T(1e-30), inf, -inf,
                      std::numeric_limits<T>::quiet_NaN()}) {
    std::vector<T> x(100, T(1));
    x[77] = bad;
    EXPECT_TRUE(std::isnan(sum(x))) << bad;
  }
  const T least = std::ldexp(T(1), -32), most = std::nextafter(T(2147483648.0), T(0));
  for (const T sign : {T(1), T(-1)}) {
    EXPECT_EQ(sum(std::vector<T>{sign * least}), sign * least);
    EXPECT_EQ(sum(std::vector<T>{sign * T(2147483520.0)}), sign * T(2147483520.0));
    EXPECT_EQ(sum(std::vector<T>{sign * most}), sign * most);
  }
}

// The sum is halfway between two doubles, then greater by the lowest bit.
TEST(ExactSumOfDoubles, RoundsOnceAtTheEnd) {
  std::vector<double> x(4096, 2147483647.0);
  const double whole = 4096 * 2147483647.0;  // below 2^43: the next double is 2^-10 away
  x.push_back(std::ldexp(1.0, -11));
  EXPECT_EQ(sum(x), whole);
  x.push_back(std::ldexp(1.0, -32));
  EXPECT_EQ(sum(x), whole + std::ldexp(1.0, -10));
  for (double& v : x) v = -v;
  EXPECT_EQ(sum(x), -whole - std::ldexp(1.0, -10));
  EXPECT_EQ(sum(std::vector<double>{1e9, 0.5, -1e9, -0.5}), 0.0);
  EXPECT_EQ(sum(std::vector<float>{16777216.0f, 1.0f, 1.0f, -16777216.0f}), 2.0f);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
