// The formulas over sums (formula/statistics.hpp) are those about the mean, in integers.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "onefold/core/formula/exact.hpp"
#include "scaled.hpp"

namespace onefold::formula {
namespace ONEFOLD_FILE {

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
                                  std::abs(a),
                                  a == 0,
                                  a * a * a,
                                  a * a * a * a};
      sum += products[static_cast<int>(t)];
    }
    return sum;
  }
  // For ddof 3 / 2.
  Ratio<int64_t> over_freedom(int64_t v) const {
    return formula::over_freedom<int64_t>(v, (*this)(Term::one), 2, 3);
  }
};
// n^2 times the sum of products of two deviations from the mean.
template <class Of>
int64_t deviations(const Pairs& pairs, const Of& of) {
  const auto n = static_cast<int64_t>(pairs.size());
  const SmallSums s{pairs};
  int64_t sum = 0;
  for (const auto& [a, b] : pairs) sum += of(n * a - s(Term::x), n * b - s(Term::y));
  return sum;
}

class Formulas : public testing::Test {
 protected:
  template <class F>
  static void for_pairs(const F& f) {
    std::mt19937 random(20);
    for (int round = 0; round < test::scaled(200); ++round) {
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
    const auto var = statistic<Statistic::variance>(s), cov = statistic<Statistic::covariance>(s);
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
    EXPECT_EQ(r.a * n, xy);
    EXPECT_EQ(r.b * n, xx);
    EXPECT_EQ(r.c * n, yy);
    EXPECT_EQ(c.a, s(Term::xy));
    EXPECT_EQ(c.b, s(Term::xx));
    EXPECT_EQ(c.c, s(Term::yy));
  });
}

TEST_F(Formulas, OfALineGoThroughTheMeans) {
  for_pairs([](const SmallSums& s, int64_t n, int64_t xx, int64_t, int64_t xy) {
    const auto m = slope(s), k = intercept(s);
    EXPECT_EQ(m.a * n, xy);
    EXPECT_EQ(m.b * n, xx);
    EXPECT_EQ(k.b, m.b);
    EXPECT_EQ(n * k.a, s(Term::y) * m.b - s(Term::x) * m.a);
    EXPECT_EQ(k.units, 1);
  });
}

TEST_F(Formulas, OfSkewnessAndKurtosisAreThoseOfDeviationsFromTheMean) {
  for_pairs([](const SmallSums& s, int64_t n, int64_t xx, int64_t, int64_t) {
    const auto third = deviations(s.pairs, [](int64_t a, int64_t) { return a * a * a; }),
               fourth = deviations(s.pairs, [](int64_t a, int64_t) { return a * a * a * a; });
    const auto skew = skewness(s);
    const auto kurt = kurtosis<false>(s);
    EXPECT_EQ(skew.a * n, third);
    EXPECT_EQ(skew.b * n * n, xx * xx);
    EXPECT_EQ(skew.c * n, xx);
    EXPECT_EQ(kurt.a * n, fourth - 3 * n * spread_x(s) * spread_x(s));
    EXPECT_EQ(kurt.b * n * n, xx * xx);
    EXPECT_FALSE(kurt.root);
  });
}

// A view of sums about an origin: (3, -5) for all pairs.
struct ShiftedSums : SmallSums {
  int64_t origin_x = 3, origin_y = -5;
};
TEST_F(Formulas, OfALineHoldForSumsAboutAnOrigin) {
  for_pairs([](const SmallSums& s, int64_t, int64_t, int64_t, int64_t) {
    Pairs moved = s.pairs;
    for (auto& [a, b] : moved) a -= 3, b += 5;
    const auto k = intercept(s), same = intercept(ShiftedSums{{moved}});
    EXPECT_EQ(same.a, k.a);
    EXPECT_EQ(same.b, k.b);
  });
}

// What a statistic reads follows from its text.
TEST(FormulaTerms, AreThoseThatTheFormulaReads) {
  using enum Term;
  const auto read = [](Statistic s) { return terms_of(s).bits; };
  EXPECT_EQ(read(Statistic::variance), (one | x | xx).bits);
  EXPECT_EQ(read(Statistic::covariance), (one | x | y | xy).bits);
  EXPECT_EQ(read(Statistic::total_variance), (one | x | y | xx | yy).bits);
  EXPECT_EQ(read(Statistic::correlation), (one | x | y | xy | xx | yy).bits);
  EXPECT_EQ(read(Statistic::cosine), (xy | xx | yy).bits);
  EXPECT_EQ(read(Statistic::slope), (one | x | y | xy | xx).bits);
  EXPECT_EQ(read(Statistic::intercept), read(Statistic::slope));
  EXPECT_EQ(read(Statistic::weighted_mean), (xy | y).bits);
  EXPECT_EQ(read(Statistic::skewness), (one | x | xx | xxx).bits);
  EXPECT_EQ(read(Statistic::kurtosis), (one | x | xx | xxx | xxxx).bits);
  EXPECT_EQ(read(total_of(distance)), Terms(distance).bits);
  EXPECT_TRUE(terms_of(Statistic::greatest).empty());
}

TEST(FormulaRatio, IsNanForADivisorOf0AndRootsOfNegativeNumbers) {
  using N = LongInteger<8>;
  const N two(Uint128{2}), none;
  EXPECT_EQ(real_of(Ratio<N>{two, none}, 0).kind, Real::Kind::nan);
  EXPECT_EQ(real_of(Ratio<N>{-two, two, 0, true}, 0).kind, Real::Kind::nan);
  EXPECT_TRUE(real_of(Ratio<N>{-two, two}, 0).negative);
  EXPECT_FALSE(real_of(Ratio<N>{none, -two}, 0).negative);
  EXPECT_TRUE(real_of(OverRoot<N>{-two, two, two}, 0).negative);
  EXPECT_EQ(real_of(OverRoot<N>{two, two, none}, 0).kind, Real::Kind::nan);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::formula
