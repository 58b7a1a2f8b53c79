// Roundings that quick numbers decide equal those of exact words, for any elements.
#include "onefold/core/exact/quick.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "feed_check.hpp"
#include "generate.hpp"
#include "onefold/core/named.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;
using Q = Quick<OneLane>;

// The numbers of a row, their sum, the sum of their magnitudes and the sum of their squares.
struct Row {
  Q sum = Q::nothing(), sumabs = Q::nothing(), squares = Q::nothing();

  template <class T>
  void add(T v) {
    const Decoded d = decode(v);
    double x = std::ldexp(static_cast<double>(d.mantissa),
                          float_format(dtype_of<T>).unit + static_cast<int>(d.shift));
    if (d.negative) x = -x;
    if (d.infinite) x = d.negative ? -HUGE_VAL : HUGE_VAL;
    if (d.nan) x = std::numeric_limits<double>::quiet_NaN();
    sum.add(x);
    sumabs.add(std::fabs(x));
    const auto p = OneLane::product(x, x);
    squares.add(p.sum);
    squares.add(p.rest);
    exact = exact && (x == 0 || (std::fabs(x) > 0x1p-450 && std::fabs(x) < 0x1p500));
  }
  void settle() {
    sum.settle();
    sumabs.settle();
    squares.settle();
  }
  bool exact = true;  // also for squares: no product fell below 2^-1074
};

uint64_t bits_of_value(DType t, double v) {
  switch (t) {
    case DType::f64:
      return bit_cast<uint64_t>(v);
    case DType::f32:
      return bit_cast<uint32_t>(static_cast<float>(v));
    default:
      return test::bits_near(t, v) | (std::signbit(v) ? uint64_t{1} << 15 : 0);
  }
}

template <class T>
bool decide(const Q& q, uint64_t& bits) {
  bool decided = false;
  const double v = q.decide<T>(decided);
  if (decided && std::isinf(v)) {
    const FloatFormat f = float_format(dtype_of<T>);
    bits = ((uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits |
           (v < 0 ? uint64_t{1} << (f.mantissa_bits + f.exponent_bits) : 0);
  } else if (decided) {
    bits = bits_of_value(dtype_of<T>, v);
  }
  return decided;
}
bool decide(DType t, const Q& q, uint64_t& bits) {
  switch (t) {
    case DType::f16:
      return decide<float16>(q, bits);
    case DType::bf16:
      return decide<bfloat16>(q, bits);
    case DType::f32:
      return decide<float>(q, bits);
    default:
      return decide<double>(q, bits);
  }
}

struct Count {
  Size asked = 0, decided = 0;
};

// Checks every recipe for one row, rounded to every type that is not narrower than the elements'.
void check_row(const Data& x, Size at, Size n, const Correction& ddof, const std::string& what,
               Count& count) {
  const DType t = x.dtype();
  Row row;
  for (Size i = at; i < at + n; ++i) {
    visit(t, [&]<class T>() {
      if constexpr (Floating<T>) row.add(bit_cast<T>(static_cast<bits_of<T>>(x.bits(i))));
    });
  }
  row.settle();
  Accumulators all;  // all but those of pairs, and decimals, which would replace the sum
  for (int a = 0; a < accumulator_count; ++a) {
    const auto accumulator = static_cast<Accumulator>(a);
    if (accumulator != Accumulator::dot && accumulator != Accumulator::decimal) {
      all = all | accumulator;
    }
  }
  test::States states(all, t);
  test::reference(states, x.at(at), nullptr, n, 0);
  Plan plan;
  plan.dtype = t;
  plan.layout = states.layout;
  plan.correction = ddof;
  const Gathered gathered = gathered_of(plan, states.words.data());
  for (const OpRow& op : op_rows()) {
    if (op.recipe == nullptr || op.about->inputs == 2) continue;
    const Recipe recipe = op.recipe({.n = n, .correction = ddof});
    const Statistic of = recipe.numerator.of;
    QuickFormula f;
    if (!is_sum(of) || !quick_formula(recipe, n, f)) continue;
    if ((of == total_of(Term::xx) || of == Statistic::variance) && !row.exact) continue;
    const Q first = of == total_of(Term::x) || of == Statistic::variance ? row.sum
                    : of == total_of(Term::magnitude)                    ? row.sumabs
                                                                         : row.squares;
    const Q q = quick_number<OneLane>(f, first, row.squares);
    for (const DType to : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
      if (to != t && bytes_of(to) <= bytes_of(t)) continue;
      uint64_t bits = 0;
      ++count.asked;
      if (!decide(to, q, bits)) continue;
      ++count.decided;
      const Rounded exact = round(op.finish(gathered), to);
      ASSERT_EQ(exact.status, Status::ok) << op.name << what;
      ASSERT_EQ(bits, exact.bits) << op.name << " as " << name_of(to) << " of " << n << " from "
                                  << at << " of " << what;
    }
  }
}

void check(std::string_view g, DType t, Size least, Size most, Size elements, uint64_t seed,
           Count& count) {
  Random r(seed);
  const Data x = test::generate(g, t, elements, seed);
  const std::string what = test::describe(g, t, elements, seed);
  for (Size at = 0; at < elements;) {
    const Size n = std::min<Size>(test::pick(r, least, most), elements - at);
    check_row(x, at, n, r() % 3 == 0 ? Correction(1) : Correction(), what, count);
    if (testing::Test::HasFatalFailure()) return;
    at += n;
  }
}

TEST(Quick, DecidesWhatExactWordsRoundTo) {
  uint64_t seed = 1;
  for (const DType t : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    for (const std::string_view g : test::generators(t)) {
      Count count;
      for (const Size most : {2u, 4u, 9u, 40u, 300u}) check(g, t, 1, most, 2000, ++seed, count);
    }
  }
}

TEST(Quick, DecidesAllRowsOfTameData) {
  for (const DType t : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    for (const std::string_view g : {"normal", "uniform", "lognormal3"}) {
      Count count;
      for (const Size most : {2u, 9u, 40u, 300u}) check(g, t, 2, most, 3000, most, count);
      // The standard deviation of two elements is half their distance, and with ddof 1 so is the
      // error of their mean: often a midpoint of two numbers.
      EXPECT_GE(count.decided * 100, count.asked * 97) << g << " " << name_of(t);
    }
  }
}

// The first two elements make a tie, and far smaller ones follow: 1 + 2^-24 + 2^-149 and similar.
TEST(Quick, DecidesTiesWithAndWithoutDust) {
  for (const double one : {1.0, 1 + 0x1p-23, 1 + 0x1p-22, -1.0, -(1 + 0x1p-23), 0x1p100}) {
    for (const double half : {0x1p-24, -0x1p-24, -0x1p-25}) {
      for (const double dust : {0.0, 0x1p-149, -0x1p-149, 0x1p-77, -0x1p-78}) {
        Data x(DType::f32, 4);
        const double scale = std::fabs(one) > 2 ? 0x1p100 : 1;
        const double parts[] = {one, half * scale, dust, 0.0};
        for (Size i = 0; i < 4; ++i) x.set(i, bit_cast<uint32_t>(static_cast<float>(parts[i])));
        Q q = Q::nothing();
        for (const double v : parts) q.add(v);
        uint64_t bits = 0;
        ASSERT_TRUE(decide(DType::f32, q, bits));
        Count count;
        check_row(x, 0, 4, {}, "ties", count);
      }
    }
  }
  for (const double dust : {0.0, 0x1p-1074, -0x1p-1074}) {
    for (const double one : {1.0, 1 + 0x1p-52, -1.0}) {
      Q q = Q::nothing();
      for (const double v : {one, 0x1p-53, dust}) q.add(v);
      uint64_t bits = 0;
      ASSERT_TRUE(decide(DType::f64, q, bits));
    }
  }
}

TEST(Quick, DecidesNothingOfInfinitiesAndNaN) {
  for (const double bad : {HUGE_VAL, -HUGE_VAL, std::numeric_limits<double>::quiet_NaN()}) {
    for (const DType t : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
      Q q = Q::nothing();
      q.add(1.0);
      q.add(bad);
      uint64_t bits = 0;
      EXPECT_FALSE(decide(t, q, bits));
      EXPECT_FALSE(decide(t, q.over(3), bits));
      EXPECT_FALSE(decide(t, q.root(), bits));
      EXPECT_FALSE(decide(t, Q::spread(q, q, 2, 1), bits));
    }
  }
}

TEST(Quick, KeepsTheSignOfZeros) {
  uint64_t bits = 1;
  ASSERT_TRUE(decide(DType::f64, Q::nothing(), bits));
  EXPECT_EQ(bits, uint64_t{1} << 63);
  Q q = Q::nothing();
  q.add(-0.0);
  q.add(0.0);
  ASSERT_TRUE(decide(DType::f64, q, bits));
  EXPECT_EQ(bits, 0u);
  Q gone = Q::nothing();
  gone.add(-1.5);
  gone.add(1.5);
  ASSERT_TRUE(decide(DType::f32, gone, bits));
  EXPECT_EQ(bits, 0u);
}

// An interval that contains a midpoint of two numbers is not decided, wherever it ends.
TEST(Quick, DoesNotDecideWhatMayBeEither) {
  uint64_t bits = 0;
  for (const double lost : {0x1p-100, 0x1p-60, 1.0}) {
    EXPECT_FALSE(decide(DType::f32, Q{1, 0x1p-24, 0, lost}, bits));
    EXPECT_FALSE(decide(DType::f64, Q{1, 0x1p-53, 0, lost}, bits));
    EXPECT_FALSE(decide(DType::f32, Q{0, 0, 0, lost * 0x1p-149}, bits)) << "either zero";
  }
  EXPECT_TRUE(decide(DType::f32, Q{1, 0x1p-25, 0, 0x1p-26}, bits));
  EXPECT_FALSE(decide(DType::f32, Q{1, 0x1p-25, 0, 0x1.000001p-25}, bits));
}

// 10^9 rows of 2 to 9 elements take four hours of one core, so there are ten parts.
class LongQuick : public testing::TestWithParam<int> {};
TEST_P(LongQuick, DecidesWhatExactWordsRoundTo) {
  Count count;
  const auto names = test::generators(DType::f32);
  Random r(static_cast<uint64_t>(GetParam()));
  while (count.asked < 100'000'000 && !HasFatalFailure()) {
    const DType t = r() % 2 == 0 ? DType::f32 : DType::f64;
    check(names[r() % names.size()], t, 2, 9, 4000, r() % 1'000'000'000, count);
  }
}
INSTANTIATE_TEST_SUITE_P(Parts, LongQuick, testing::Range(0, 10));

}  // namespace ONEFOLD_FILE
}  // namespace onefold
