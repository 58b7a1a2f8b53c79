// The formulas over sums (formula/statistics.hpp) are those about the mean, in integers.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "onefold/formula/exact.hpp"

namespace onefold::formula {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

// Sums of pairs of small integers.
struct SmallSums {
  using Number = int64_t;
  const Pairs& pairs;
  int64_t operator()(Term t) const {
    int64_t sum = 0;
    for (const auto& [a, b] : pairs) {
      const int64_t products[] = {1,
                                  a,
                                  b,
                                  a * a,
                                  b * b,
                                  a * b,
                                  (a - b) * (a - b),
                                  std::abs(a - b),
                                  a * a * a,
                                  a * a * a * a};
      sum += products[t];
    }
    return sum;
  }
  static int64_t factor() { return 2; }
  static int64_t taken() { return 3; }
  static bool is_negative(int64_t v) { return v < 0; }
};
// n^2 times the sum of products of two deviations from the mean.
template <class Of>
int64_t deviations(const Pairs& pairs, const Of& of) {
  const auto n = static_cast<int64_t>(pairs.size());
  const SmallSums s{pairs};
  int64_t sum = 0;
  for (const auto& [a, b] : pairs) sum += of(n * a - s(x), n * b - s(y));
  return sum;
}

class Formulas : public testing::Test {
 protected:
  template <class F>
  static void for_pairs(const F& f) {
    std::mt19937 random(20);
    for (int round = 0; round < 200; ++round) {
      Pairs pairs(1 + random() % 9);
      for (auto& [a, b] : pairs) {
        a = static_cast<int>(random() % 21) - 4;
        b = static_cast<int>(random() % 13) - 6;
      }
      const int64_t xx = deviations(pairs, [](int64_t a, int64_t) { return a * a; }),
                    yy = deviations(pairs, [](int64_t, int64_t b) { return b * b; }),
                    xy = deviations(pairs, [](int64_t a, int64_t b) { return a * b; });
      f(SmallSums{pairs}, static_cast<int64_t>(pairs.size()), xx, yy, xy);
    }
  }
};

TEST_F(Formulas, OfVarianceIsTheMeanSquaredDeviationWithItsDdof) {
  for_pairs([](const SmallSums& s, int64_t n, int64_t xx, int64_t, int64_t xy) {
    const auto var = covariance(s, x, x, Term::xx), cov = covariance(s, x, y, Term::xy);
    EXPECT_EQ(var.a * n, 2 * xx);
    EXPECT_EQ(cov.a * n, 2 * xy);
    EXPECT_EQ(var.b, n * (2 * n - 3));
    EXPECT_EQ(cov.b, var.b);
    EXPECT_EQ(var.units, 2);
    EXPECT_FALSE(var.root);
  });
}

TEST_F(Formulas, OfCorrelationIsARootOfSquares) {
  for_pairs([](const SmallSums& s, int64_t n, int64_t xx, int64_t yy, int64_t xy) {
    const auto r = correlation(s), c = cosine(s);
    EXPECT_EQ(r.a * n * n, xy * xy);
    EXPECT_EQ(r.b * n * n, xx * yy);
    EXPECT_EQ(r.negative, xy < 0);
    EXPECT_TRUE(r.root && r.units == 0);
    EXPECT_EQ(c.a, s(Term::xy) * s(Term::xy));
    EXPECT_EQ(c.b, s(Term::xx) * s(Term::yy));
    EXPECT_EQ(c.negative, s(Term::xy) < 0);
  });
}

TEST_F(Formulas, OfALineGoThroughTheMeans) {
  for_pairs([](const SmallSums& s, int64_t n, int64_t xx, int64_t, int64_t xy) {
    const auto m = slope(s), k = intercept(s);
    EXPECT_EQ(m.a * n, xy);
    EXPECT_EQ(m.b * n, xx);
    EXPECT_EQ(k.b, m.b);
    EXPECT_EQ(n * k.a, s(y) * m.b - s(x) * m.a);
    EXPECT_EQ(k.units, 1);
  });
}

TEST_F(Formulas, OfSkewnessAndKurtosisAreThoseOfDeviationsFromTheMean) {
  for_pairs([](const SmallSums& s, int64_t n, int64_t xx, int64_t, int64_t) {
    const auto third = deviations(s.pairs, [](int64_t a, int64_t) { return a * a * a; }),
               fourth = deviations(s.pairs, [](int64_t a, int64_t) { return a * a * a * a; });
    EXPECT_EQ(third_moment(s, spread_x(s)) * n, third);
    EXPECT_EQ(fourth_excess(s, spread_x(s)) * n, fourth - 3 * n * spread_x(s) * spread_x(s));
    const auto skew = skewness(s), kurt = kurtosis(s);
    EXPECT_EQ(skew.a * n * n, third * third);
    EXPECT_EQ(skew.b * n * n * n, xx * xx * xx);
    EXPECT_EQ(skew.negative, third < 0);
    EXPECT_TRUE(skew.root && skew.units == 0);
    EXPECT_EQ(kurt.b * n * n, xx * xx);
    EXPECT_FALSE(kurt.root || kurt.negative);
  });
}

TEST(FormulaRatio, IsNanForADivisorOf0AndRootsOfNegativeNumbers) {
  using N = LongInteger<8>;
  const N two(Uint128{2}), none;
  EXPECT_EQ(real_of(Ratio<N>{two, none}, 0).kind, Real::Kind::nan);
  EXPECT_EQ(real_of(Ratio<N>{-two, two, 0, true}, 0).kind, Real::Kind::nan);
  EXPECT_TRUE(real_of(Ratio<N>{-two, two}, 0).negative);
  EXPECT_FALSE(real_of(Ratio<N>{none, -two}, 0).negative);
  EXPECT_TRUE(real_of(Ratio<N>{two, two, 0, true, true}, 0).negative);
}

}  // namespace
}  // namespace onefold::formula
