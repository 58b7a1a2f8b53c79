// Skewness and kurtosis equal those of the exact central moments, rounded once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "generate.hpp"
#include "onefold/onefold.hpp"
#include "oracle/fold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;

constexpr double inf = std::numeric_limits<double>::infinity();

double skewness_of(const std::vector<double>& x, Options o = {}) {
  return fold("skewness", ArrayRef(x), o).get<double>("skewness");
}
double kurtosis_of(const std::vector<double>& x, Options o = {}) {
  return fold("kurtosis", ArrayRef(x), o).get<double>("kurtosis");
}

// The answer by GMP, from elements minus their mean.
oracle::Value expected(bool fourth, const Data& x, Size begin, Size n) {
  const oracle::Type& t = oracle::type(name_of(x.dtype()));
  const oracle::Type& result = t.floating() ? t : oracle::type("f64");
  const oracle::Value nan = oracle::round({.is = oracle::Exact::Is::nan}, result);
  std::vector<mpz_class> elements;
  mpz_class sum = 0;
  for (Size i = begin; i < begin + n; ++i) {
    const oracle::Element e = oracle::decode(t, x.bits(i));
    if (e.nan || e.infinite) return nan;
    mpz_class v = static_cast<unsigned long>(e.magnitude);
    v <<= static_cast<mp_bitcnt_t>(e.shift);
    elements.emplace_back(e.negative ? mpz_class(-v) : v);
    sum += elements.back();
  }
  const mpz_class count = static_cast<unsigned long>(n);
  mpz_class second = 0, third = 0, last = 0;  // of n times the deviations
  for (const mpz_class& v : elements) {
    const mpz_class d = count * v - sum, square = d * d;
    second += square;
    third += square * d;
    last += square * square;
  }
  if (second == 0) return nan;
  if (fourth) {
    return oracle::round({.number = mpq_class(count * last, second * second) - 3}, result);
  }
  mpq_class square(count * third * third, second * second * second);
  square.canonicalize();
  oracle::Value v = oracle::round({.number = square, .root = true}, result);
  if (third < 0) v.bits |= uint64_t{1} << (8 * result.bytes - 1);
  return v;
}
void expect_exact(const Data& x, Size begin, Size n, const std::string& what) {
  const ArrayRef array(x.at(begin), x.dtype(), {static_cast<int64_t>(n)});
  for (const std::string_view target : cpu_targets()) {
    Options o;
    o.target = target;
    const Answers got = fold("skewness,kurtosis", array, o);
    for (const bool fourth : {false, true}) {
      const oracle::Value v = expected(fourth, x, begin, n);
      EXPECT_EQ(got.list[fourth].only().bits, v.bits)
          << (fourth ? "kurtosis of " : "skewness of ") << what << " by " << target;
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
    return gather("skewness,kurtosis", a);
  };
  State merged = part(0, 400);
  merged.merge(part(400, 500));
  EXPECT_EQ(merged.save(), part(0, 900).save());
  merged.remove(part(0, 400));
  EXPECT_EQ(merged.save(), part(400, 500).save());
  State loaded = State::load(merged.save());
  const uint64_t bits = loaded.answer("kurtosis").bits;
  EXPECT_EQ(bits, expected(true, x, 400, 500).bits);
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
