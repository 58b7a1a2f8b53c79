// Skewness, kurtosis, moments and sem equal those of the exact central moments, rounded once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "expect_error.hpp"
#include "generate.hpp"
#include "onefold/onefold.hpp"
#include "oracle/fold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;

constexpr double inf = std::numeric_limits<double>::infinity();

double answer_of(const char* op, const std::vector<double>& x, Options o = {}) {
  return fold(op, ArrayRef(x), o).get<double>(op);
}
double skewness_of(const std::vector<double>& x, Options o = {}) {
  return answer_of("skewness", x, o);
}
double kurtosis_of(const std::vector<double>& x, Options o = {}) {
  return answer_of("kurtosis", x, o);
}

constexpr const char *of_mean = "skewness,kurtosis,kurtosis_pearson,moment3,moment4,sem",
                     *of_zero = "raw_moment2,raw_moment3,raw_moment4";

// Sums of powers, by GMP: of n times the deviations from the mean, and of elements.
struct Powers {
  bool finite = true;
  mpz_class n, second = 0, third = 0, fourth = 0, raw[5] = {0, 0, 0, 0, 0};
};
Powers powers_of(const oracle::Type& t, const Data& x, Size begin, Size n) {
  Powers p{.n = static_cast<unsigned long>(n)};
  std::vector<mpz_class> elements;
  for (Size i = begin; i < begin + n; ++i) {
    const oracle::Element e = oracle::decode(t, x.bits(i));
    p.finite = p.finite && !e.nan && !e.infinite;
    mpz_class v = static_cast<unsigned long>(e.magnitude);
    v <<= static_cast<mp_bitcnt_t>(e.shift);
    elements.emplace_back(e.negative ? mpz_class(-v) : v);
    for (mpz_class power = 1; mpz_class & sum : p.raw) {
      sum += power;
      power *= elements.back();
    }
  }
  for (const mpz_class& v : elements) {
    const mpz_class d = p.n * v - p.raw[1], square = d * d;
    p.second += square;
    p.third += square * d;
    p.fourth += square * square;
  }
  return p;
}

// a / b, or its root with a sign; NaN where b is 0.
oracle::Value ratio(const oracle::Type& t, const mpz_class& a, const mpz_class& b, int units,
                    bool root = false, bool negative = false) {
  const oracle::Type& result = t.floating() ? t : oracle::type("f64");
  if (b == 0) return oracle::round({.is = oracle::Exact::Is::nan}, result);
  mpq_class q(a, b);
  q.canonicalize();
  oracle::Value v =
      oracle::round({.number = q, .exponent = units * t.unit(), .root = root}, result);
  if (negative) v.bits |= uint64_t{1} << (8 * result.bytes - 1);
  return v;
}
// The answer to an op, ddof 0 or 1; for a moment about 0 elements are finite.
oracle::Value expected(std::string_view op, int ddof, const oracle::Type& t, const Powers& p) {
  if (!p.finite) return ratio(t, 0, 0, 0);
  const mpz_class &n = p.n, &two = p.second, square = two * two;
  if (op == "sem") {
    const mpz_class free = n < ddof ? mpz_class(0) : mpz_class(n - ddof);
    return ratio(t, two, n * n * n * free, 2, true);
  }
  if (op == "moment3") return ratio(t, p.third, n * n * n * n, 3);
  if (op == "moment4") return ratio(t, p.fourth, n * n * n * n * n, 4);
  if (op.starts_with("raw")) {
    const int power = op.back() - '0';
    return ratio(t, p.raw[power], n, power);
  }
  if (op == "skewness") {
    mpz_class a = n * p.third * p.third, b = square * two;
    if (ddof == 1) {
      a *= n * (n - 1);
      b *= n <= 2 ? mpz_class(0) : mpz_class((n - 2) * (n - 2));
    }
    return ratio(t, a, b, 0, true, p.third < 0);
  }
  mpz_class a = n * p.fourth - 3 * square, b = square;
  if (ddof == 1) {
    a = (n - 1) * ((n + 1) * a + 6 * b);
    b *= n <= 3 ? mpz_class(0) : mpz_class((n - 2) * (n - 3));
  }
  return ratio(t, op == "kurtosis" ? a : a + 3 * b, b, 0);
}
void expect_exact(const Data& x, Size begin, Size n, const std::string& what) {
  const oracle::Type& t = oracle::type(name_of(x.dtype()));
  const ArrayRef array(x.at(begin), x.dtype(), {static_cast<int64_t>(n)});
  const Powers powers = powers_of(t, x, begin, n);
  for (const std::string_view target : cpu_targets()) {
    for (const char* ops : {of_mean, of_zero}) {
      if (ops == of_zero && !powers.finite) continue;
      for (const int ddof : {0, 1}) {
        const Answers got = fold(ops, array, {.ddof = ddof, .target = target});
        for (const Answer& answer : got.list) {
          const oracle::Value v = expected(answer.op, ddof, t, powers);
          EXPECT_EQ(answer.only().bits, v.bits)
              << answer.op << ", ddof " << ddof << ", of " << what << " by " << target;
        }
      }
    }
  }
}

class Moments : public testing::TestWithParam<DType> {};

TEST_P(Moments, AreThoseOfDeviationsFromTheMeanForHardData) {
  Random r(2);
  for (const std::string_view generator : test::generators(GetParam())) {
    for (const Size n : {Size{1}, Size{2}, Size{3}, Size{40}, Size{700}}) {
      const Size skip = r() % 9;
      const uint64_t seed = r() % 1000;
      const Data x = test::generate(generator, GetParam(), n + skip, seed);
      expect_exact(x, skip, n, test::describe(generator, GetParam(), n + skip, seed));
    }
  }
}

// Sums of such elements use all limbs.
TEST_P(Moments, OfTheLargestElementsAreExact) {
  const DType t = GetParam();
  if (!is_floating(t)) return;
  Data x = test::largest(t, test::exponents(t) - 1, false, 300);
  for (Size i = 0; i < 100; ++i) x.set(2 * i, i);  // and subnormals
  x.set(7, x.bits(9) | uint64_t{1} << (8 * bytes_of(t) - 1));
  expect_exact(x, 0, 300, "the largest");
  expect_exact(x, 7, 2, "two");
}

TEST_P(Moments, Of100000ElementsAreExact) {
  const Data x = test::generate("random", GetParam(), 100000, 5);
  expect_exact(x, 0, 100000, "100000 elements");
}

TEST_P(Moments, OfPartsMergeAndAreRemoved) {
  const Data x = test::generate("random", GetParam(), 900, 8);
  const auto part = [&](Size begin, Size n) {
    const ArrayRef a(x.at(begin), x.dtype(), {static_cast<int64_t>(n)});
    return gather("skewness,kurtosis,sem", a);
  };
  State merged = part(0, 400);
  merged.merge(part(400, 500));
  EXPECT_EQ(merged.save(), part(0, 900).save());
  merged.remove(part(0, 400));
  EXPECT_EQ(merged.save(), part(400, 500).save());
  State loaded = State::load(merged.save());
  const oracle::Type& t = oracle::type(name_of(GetParam()));
  const Powers powers = powers_of(t, x, 400, 500);
  EXPECT_EQ(loaded.answer("kurtosis").bits, expected("kurtosis", 0, t, powers).bits);
  EXPECT_EQ(loaded.answer("moment3").bits, expected("moment3", 0, t, powers).bits);
  EXPECT_EQ(loaded.answer("sem").bits, expected("sem", 1, t, powers).bits);
  EXPECT_EQ(loaded.answer("skewness", {.ddof = 1}).bits, expected("skewness", 1, t, powers).bits);
}

// Folds without a state, in parts by several threads, and short folds, which remember a request.
void expect_state_answers(const char* ops, const ArrayRef& x, const Options& options) {
  const State state = gather(ops, x, options);
  for (int k = 0; k < 3; ++k) {
    const Answers got = fold(ops, x, options);
    for (const Answer& answer : got.list) {
      const Value expected = state.answer(answer.op);
      ASSERT_EQ(answer.only().status, expected.status);
      ASSERT_EQ(answer.only().bits, expected.bits) << answer.op;
    }
  }
}
TEST_P(Moments, OfLongArraysAreThoseOfStates) {
  const DType t = GetParam();
  const auto bytes = static_cast<int64_t>(bytes_of(t));
  for (const std::string_view generator : test::generators(t)) {
    for (const Size n : {Size{1025}, Size{5000}, Size{400001}}) {
      SCOPED_TRACE(test::describe(generator, t, n, n));
      const Data x = test::generate(generator, t, n, n);
      const auto length = static_cast<int64_t>(n), half = length / 2;
      const ArrayRef all(x.data(), t, {length}), other(x.at(1), t, {half}, {2 * bytes}),
          back(x.at(n - 1), t, {length}, {-bytes});
      for (const int threads : {1, 3}) {
        const Options options{.threads = threads};
        expect_state_answers("kurtosis", all, options);
        expect_state_answers("kurtosis,skewness", other, options);
        expect_state_answers("kurtosis,skewness,argmax", back, options);
      }
      const Data mask = test::generate("random", DType::boolean, n, n);
      expect_state_answers("kurtosis,skewness", all,
                           {.nan = NanPolicy::omit,
                            .where = ArrayRef(mask.data(), DType::boolean, {length}),
                            .threads = 2});
    }
  }
}
TEST_P(Moments, OfLongRowsAreThoseOfStates) {
  const Size n = 70001;
  const auto length = static_cast<int64_t>(n);
  const Data x = test::generate("random", GetParam(), 3 * n, 6);
  const Answers rows =
      fold("kurtosis", ArrayRef(x.data(), GetParam(), {3, length}), {.axes = Axes(Dims(1))});
  for (Size k = 0; k < 3; ++k) {
    const ArrayRef row(x.at(k * n), GetParam(), {length});
    EXPECT_EQ(rows.list[0][k].bits, gather("kurtosis", row).answer("kurtosis").bits);
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryType, Moments,
                         testing::Values(DType::boolean, DType::i8, DType::i16, DType::i32,
                                         DType::i64, DType::u8, DType::u16, DType::u32, DType::u64,
                                         DType::f16, DType::bf16, DType::f32, DType::f64),
                         [](const auto& p) { return std::string(name_of(p.param)); });

TEST(Skewness, IsThatOfScipyRoundedOnce) {
  EXPECT_EQ(skewness_of({1, 2, 3, 4, 5, 23}), 1.6727687946848506);
  EXPECT_EQ(skewness_of({-1, -2, -3, -4, -5, -23}), -1.6727687946848506);
  EXPECT_EQ(kurtosis_of({1, 2, 3, 4, 5, 23}), 0.994566877179753);
}

TEST(Moments, AreThoseOfScipyRoundedOnce) {
  const std::vector<double> x{1, 2, 3, 4, 5, 23};
  const Options sample{.ddof = 1};
  EXPECT_EQ(answer_of("sem", x), 3.3829638550307397);
  EXPECT_EQ(skewness_of(x, sample), 2.2905330058490514);
  EXPECT_EQ(kurtosis_of(x, sample), 5.400820058440947);
  EXPECT_EQ(answer_of("kurtosis_pearson", x), 3.994566877179753);
  EXPECT_EQ(answer_of("moment3", x), 724.074074074074);
  EXPECT_EQ(answer_of("raw_moment4", x), 46803.333333333336);
}

TEST(Moments, HaveDdof1ForTheErrorOfTheMeanUnlessAnotherIsGiven) {
  const std::vector<double> x{1, 2, 3, 4};
  EXPECT_EQ(answer_of("sem", x), answer_of("sem", x, {.ddof = 1}));
  EXPECT_EQ(answer_of("sem", x, {.ddof = 0}), std::sqrt(0.3125));
  const Answers both = fold("var,sem", ArrayRef(x));
  EXPECT_EQ(both.get<double>("var"), 1.25);
  EXPECT_EQ(both.get<double>("sem"), answer_of("sem", x));
  EXPECT_TRUE(std::isnan(answer_of("sem", {3})));
  EXPECT_EQ(answer_of("sem", {3}, {.ddof = 0}), 0);
}

TEST(Moments, OfSamplesNeedThreeOrFourElements) {
  const Options sample{.ddof = 1};
  EXPECT_TRUE(std::isnan(skewness_of({1, 2}, sample)));
  EXPECT_EQ(skewness_of({1, 2, 3}, sample), 0);
  EXPECT_TRUE(std::isnan(kurtosis_of({1, 2, 4}, sample)));
  EXPECT_TRUE(std::isnan(answer_of("kurtosis_pearson", {1, 2, 4}, sample)));
  EXPECT_FALSE(std::isnan(kurtosis_of({1, 2, 4, 5}, sample)));
  test::expect_error(ErrorCode::bad_option, {"skewness", "ddof 2 is invalid", "or 1"}, [] {
    skewness_of({1, 2, 3, 4}, {.ddof = 2});
  });
}

TEST(Moments, AboutTheMeanAreZeroWithoutASpread) {
  for (const char* op : {"moment3", "moment4"}) {
    EXPECT_EQ(answer_of(op, {0.1, 0.1, 0.1}), 0);
    EXPECT_EQ(answer_of(op, {7}), 0);
    EXPECT_TRUE(std::isnan(answer_of(op, {1, inf})));
    EXPECT_TRUE(std::isnan(answer_of(op, {})));
  }
}

TEST(Moments, AboutZeroFollowAnInfinity) {
  EXPECT_EQ(answer_of("raw_moment3", {1, -inf}), -inf);
  EXPECT_TRUE(std::isnan(answer_of("raw_moment3", {inf, -inf})));
  EXPECT_EQ(answer_of("raw_moment4", {inf, -inf}), inf);
  EXPECT_EQ(answer_of("raw_moment3", {-2, 4}), 28);
  EXPECT_TRUE(std::isnan(answer_of("raw_moment2", {})));
}

TEST(Skewness, OfSymmetricElementsIsPositiveZero) {
  for (const std::vector<double>& x :
       {std::vector<double>{1, 2, 3}, {-1, 1}, {0.1, -0.1, 0, 1e300, -1e300}, {5e-324, 0}}) {
    EXPECT_EQ(skewness_of(x), 0);
    EXPECT_FALSE(std::signbit(skewness_of(x)));
  }
  EXPECT_EQ(kurtosis_of({1, 2}), -2);
  EXPECT_EQ(kurtosis_of({0, 0, 0, 0, 0, 1}), kurtosis_of({1, 1, 1, 1, 1, 0}));
}

// One element among 4 zeros: 9/2 - 3/2 for the squares; n elements have (n-2)/sqrt(n-1).
TEST(Skewness, OfOneElementAmongZerosIsTheLargestOfSoMany) {
  EXPECT_EQ(skewness_of({0, 0, 0, 0, 7}), 1.5);
  EXPECT_EQ(skewness_of({0, 0, 0, 0, -7e-320}), -1.5);
  EXPECT_EQ(kurtosis_of({0, 0, 0, 0, 7}), 0.25);
}

TEST(Skewness, IsNanWithoutASpreadOrWithWhatIsNotFinite) {
  for (const std::vector<double>& x : {std::vector<double>{},
                                       {3},
                                       {0, -0.0},
                                       {0.1, 0.1, 0.1},
                                       {1, 2, inf},
                                       {inf, -inf, 3},
                                       {1, 2, NAN}}) {
    EXPECT_TRUE(std::isnan(skewness_of(x)));
    EXPECT_TRUE(std::isnan(kurtosis_of(x)));
  }
}

TEST(Skewness, TakesNanByPolicyAsTheVarianceDoes) {
  Options o;
  o.nan = NanPolicy::omit;
  EXPECT_EQ(skewness_of({NAN, 1, 2, 3, 4, 5, 23}, o), 1.6727687946848506);
  EXPECT_TRUE(std::isnan(kurtosis_of({NAN, NAN}, o)));
  o.nan = NanPolicy::raise;
  const std::vector<double> x{1, NAN};
  EXPECT_EQ(fold("skewness", ArrayRef(x), o).list[0].only().status, Status::nan_found);
}

TEST(Skewness, IsNotMovedByItsMean) {
  std::vector<double> x{1, 2, 3, 4, 5, 23};
  for (double& v : x) v += 0x1p50;
  EXPECT_EQ(skewness_of(x), 1.6727687946848506);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
