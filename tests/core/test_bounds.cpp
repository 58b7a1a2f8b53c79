// Error bounds of the numbers that a device computes relations and moments with
// (kernel/quick/formulas.hpp, careful.hpp): the true value of each single sum, and of each
// statistic, lies within its bound. Answers alone do not show a wrong bound: it rarely changes one.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "onefold/cuda/kernel/quick/careful.hpp"

namespace onefold::kernel {
namespace ONEFOLD_FILE {

constexpr Terms of_pairs = Term::x | Term::y | Term::xx | Term::yy | Terms(Term::xy);
constexpr Terms of_one = Term::x | Term::xx | Term::xxx | Terms(Term::xxxx);
constexpr Statistic statistics[] = {
    Statistic::covariance,    Statistic::total_variance, Statistic::correlation,
    Statistic::cosine,        Statistic::slope,          Statistic::intercept,
    Statistic::weighted_mean, Statistic::skewness,       Statistic::kurtosis};
using Pairs = std::vector<std::pair<double, double>>;

// Sums and statistics by rationals; roots and quotients have 600 bits.
struct Exact {
  using Number = mpq_class;
  const Pairs& pairs;
  double origin = 0;  // of x
  mpq_class operator()(Term t) const {
    const auto value = [](Factor f, const mpq_class& x, double y) -> mpq_class {
      if (f == Factor::square) return x * x;
      return f == Factor::x ? x : f == Factor::y ? mpq_class(y) : mpq_class(1);
    };
    mpq_class sum = 0;
    const Factors f = factors_of(t);
    for (const auto& [x, y] : pairs) {
      const mpq_class d = mpq_class(x) - mpq_class(origin);
      sum += value(f.a, d, y) * value(f.b, d, y);
    }
    return sum;
  }
  Ratio<mpq_class> over_freedom(const mpq_class& v) const {
    const mpq_class n = (*this)(Term::one);
    return {v, n * n};
  }
};
// Nothing for a quotient by 0.
bool answer_of(const Ratio<mpq_class>& r, mpf_class& v) {
  if (r.b == 0) return false;
  v = mpf_class(r.a, 600) / mpf_class(r.b, 600);
  return true;
}
bool answer_of(const OverRoot<mpq_class>& r, mpf_class& v) {
  if (r.b == 0 || r.c == 0) return false;
  v = mpf_class(r.a, 600) / sqrt(mpf_class(r.b * r.c, 600));
  return true;
}
mpf_class value_of(const Near& q) { return mpf_class(q.value, 600); }
mpf_class value_of(const Wide& q) { return mpf_class(q.high, 600) + mpf_class(q.low, 600); }

// Calls f<is>() for each statistic that follows from these terms.
template <Terms terms, int k = 0, class F>
void each_statistic(F f) {
  if constexpr (k < std::size(statistics)) {
    constexpr Terms read = formula::terms_of<statistics[k]>().without(Term::one);
    if constexpr (read.within(terms)) f.template operator()<statistics[k]>();
    each_statistic<terms, k + 1>(f);
  }
}

// Of sums of one word or two; of three in the second pass, that of moments about the first element.
//   T   the elements' type; the answers' too
template <int words, class T>
struct Judge {
  int bounds = 0, finite = 0;

  void operator()(const Pairs& pairs) {
    if constexpr (words == 3) {
      using enum OpIndex;
      judge_careful<bit_of(skewness_) | bit_of(kurtosis_)>(pairs);
      judge_careful<bit_of(cov_) | bit_of(corr_) | bit_of(cosine_) | bit_of(slope_) |
                    bit_of(intercept_) | bit_of(average_)>(pairs);
    } else {
      judge<of_pairs>(pairs);
      judge<of_one>(pairs);
    }
  }

 private:
  template <Terms terms>
  void judge(const Pairs& pairs) {
    const auto n = static_cast<double>(pairs.size());
    TermSums<terms, words> sums;
    for (const auto& [x, y] : pairs) {
      sums.template add<terms>(static_cast<T>(x), static_cast<T>(y));
    }
    const TermBounds of(sums, n, relative_bound<words>(n));
    judge_sums(sums, of, Exact{pairs}, n);
  }
  template <OpSet ops>
  void judge_careful(const Pairs& pairs) {
    using Second = Careful<T, ops>;
    constexpr bool moments = !Second::needed.pairs;
    const auto n = static_cast<double>(pairs.size()), origin = moments ? pairs[0].first : 0;
    typename Second::Found found;
    for (const auto& [x, y] : pairs) {
      Second::add_element(found, static_cast<T>(x), static_cast<T>(y), origin);
    }
    const typename Second::TwoWords sums(found);
    const Exact exact{pairs, origin};
    const double e = sums.relative_error(n);
    const TermBounds of(sums, n, e);
    if (e == e) judge_sums(sums, of, exact, n);
    const AnswerFormula made{.formula = {.elements = n, .n = n, .left = n}};
    const bool decides = moments && (sums.is_constant() || of.is_tame());
    each_statistic<Second::formula>([&]<Statistic is>() {
      judge_answer<is>(Second::template decide_careful<is, false>(found, made), exact, decides);
    });
  }
  //   decides   however far from 0 the mean is, only an answer of 0 may be undecided
  template <Statistic is>
  void judge_answer(const RoundingTest<T>& d, const Exact& exact, bool decides) {
    mpf_class right(0, 600);
    const bool is_number = answer_of(formula::statistic<is>(exact), right);
    EXPECT_TRUE(d.decided || !decides || (is_number && right == 0));
    if (!d.decided) return;
    EXPECT_EQ(is_number, d.value == d.value);
    if (!is_number) return;
    const auto off = [&](T v) -> mpf_class { return abs(mpf_class(v, 600) - right); };
    for (const T to : {-std::numeric_limits<T>::infinity(), std::numeric_limits<T>::infinity()}) {
      EXPECT_TRUE(off(d.value) <= off(std::nextafter(d.value, to))) << d.value;
    }
  }
  template <class Sums, class Bounds>
  void judge_sums(const Sums& sums, const Bounds& of, const Exact& exact, double n) {
    each_term<Sums::terms>([&]<Term t>() {
      const auto& s = sums.at(t);
      const mpq_class off = abs(mpq_class(s.high) + mpq_class(words > 1 ? s.low : 0) - exact(t));
      ++bounds;
      // Beyond, powers of f64 may underflow; such answers are undecided.
      if (words > 1 && !of.is_tame()) return;
      EXPECT_TRUE(off <= mpq_class(of(t))) << "term " << static_cast<int>(t) << " of " << n;
    });
    each_statistic<Sums::terms>([&]<Statistic is>() { judge_one<is>(sums, of, exact, n); });
  }
  template <Statistic is, class Sums, class Bounds>
  void judge_one(const Sums& sums, const Bounds& of, const Exact& exact, double n) {
    const auto number = [&] {
      if constexpr (words == 1) {
        const auto r = ratio_of(formula::statistic<is>(NearView<Sums>{sums, of, 1 / (n * n)}));
        return quotient_of(r.a, r.b);
      } else {
        const QuickFormula f{.spread = true, .elements = n, .n = n, .left = n};
        const auto r = ratio_of(formula::statistic<is>(WideView<Sums>{sums, of, f}));
        return quotient_of(r.a, r.b);
      }
    }();
    if (!of.is_tame()) return;
    mpf_class right(0, 600);
    if (!answer_of(formula::statistic<is>(exact), right) || !std::isfinite(number.error)) return;
    ++finite;
    const mpf_class off = abs(value_of(number) - right);
    EXPECT_TRUE(off <= mpf_class(number.error, 600) * (1 + 0x1p-40))
        << "statistic " << static_cast<int>(is) << " of " << n;
  }
};

template <int words, class T, class Draw>
Judge<words, T> judged(const Draw& draw) {
  Judge<words, T> judge;
  for (const std::size_t n : {1, 2, 3, 5, 16, 63, 300}) {
    for (int round = 0; round < 12; ++round) {
      Pairs pairs(n);
      for (auto& p : pairs) {
        p = draw();
        const auto as_f32 = [](double v) {
          return std::abs(v) < 0x1p127 ? static_cast<float>(v) : 1;
        };
        if (sizeof(T) == 4) p = {as_f32(p.first), as_f32(p.second)};
      }
      judge(pairs);
    }
  }
  return judge;
}
template <class Draw>
void expect_bounds(const Draw& draw, bool decides = true) {
  const auto near = judged<1, float>(draw);
  const auto wide = judged<2, double>(draw);
  EXPECT_EQ(near.bounds, 7 * 12 * (5 + 4));
  EXPECT_EQ(wide.bounds, near.bounds);
  if (decides) {
    EXPECT_GT(near.finite, 250);
    EXPECT_GT(wide.finite, 350);
  }
  judged<3, float>(draw);
  judged<3, double>(draw);
}

class Bounds : public testing::Test {
 protected:
  std::mt19937_64 random{31};
  std::normal_distribution<double> normal;
  std::lognormal_distribution<double> wide{0, 8};
};

TEST_F(Bounds, HoldForNormalNumbers) {
  expect_bounds([&] { return std::pair{normal(random), normal(random)}; });
}
TEST_F(Bounds, HoldForALineWithNoise) {
  expect_bounds([&] {
    const double x = normal(random);
    return std::pair{x, 3 * x + 0x1p-12 * normal(random)};
  });
}
TEST_F(Bounds, HoldForManyMagnitudesOfEitherSign) {
  const auto sign = [&](double v) { return random() % 2 != 0 ? v : -v; };
  expect_bounds([&] { return std::pair{sign(wide(random)), sign(wide(random))}; });
}
TEST_F(Bounds, HoldForTinyAndHugeNumbers) {
  for (const double x : {0x1p-440, 0x1p-300, 0x1p200}) {
    for (const double y : {0x1p-440, 0x1p-170, 0x1p210}) {
      expect_bounds([&] { return std::pair{x * normal(random), y * normal(random)}; }, false);
    }
  }
}
TEST_F(Bounds, HoldFarFromZero) {
  expect_bounds(
      [&] {
        return std::pair{1000 + 0.01 * normal(random), -50 + normal(random)};
      },
      false);
}
TEST_F(Bounds, HoldFartherFromZero) {
  expect_bounds([&] { return std::pair{1e7 + normal(random), 1e12 + normal(random)}; }, false);
}
TEST_F(Bounds, HoldForIntegers) {
  expect_bounds([&] { return std::pair{double(random() % 5), double(random() % 1000)}; }, false);
}
TEST_F(Bounds, HoldForConstants) {
  expect_bounds([&] { return std::pair{3.25, 1 / 3.0}; }, false);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::kernel
