// Hard sums as values. Math.sumPrecise of ECMAScript 2026 answers the same, but -0 for no elements.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "onefold_exact.hpp"

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double greatest = std::numeric_limits<double>::max();
constexpr double ulp_of_greatest = 0x1p971;

struct Case {
  std::vector<double> x;
  double sum;
};
const std::vector<Case> cases = {
    {{}, 0.0},
    {{-0.0}, -0.0},
    {{-0.0, -0.0, -0.0}, -0.0},
    {{-0.0, 0.0}, 0.0},
    {{1, -1}, 0.0},
    {{-5e-324, 5e-324, -0.0}, 0.0},
    {{0.1, 0.2}, 0.1 + 0.2},
    {{0.1, 0.2, 0.3}, 0.6},  // a loop gives 0.6000000000000001
    {{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 1.0},
    {{1e308, 1e308, 0.1, 0.1, 1e30, 0.1, -1e30, -1e308, -1e308}, 0.30000000000000004},
    {{1e30, 0.1, -1e30}, 0.1},
    {{1, 0x1p-53}, 1.0},                                  // a tie, to even
    {{1, 0x1p-53, 0x1p-1074}, 1.0000000000000002},        // just above it
    {{1, 0x1p-53, -0x1p-1074}, 1.0},                      // just below it
    {{1.0000000000000002, 0x1p-53}, 1.0000000000000004},  // a tie of an odd number
    {{0x1p53, 1, 1}, 0x1p53 + 2},
    {{0x1p53, 1, 0x1p-60}, 0x1p53 + 2},
    {{greatest, ulp_of_greatest / 2}, inf},  // the first number that rounds to infinity
    {{greatest, ulp_of_greatest / 2, -0x1p-1074}, greatest},
    {{greatest, greatest, -greatest}, greatest},
    {{greatest, greatest, greatest, -greatest, -greatest, 0x1p-1074}, greatest},
    {{5e-324, 5e-324, 5e-324}, 1.5e-323},
    {{0x1p-1022, -0x1p-1074}, 0x1p-1022 - 0x1p-1074},  // the greatest subnormal
    {{inf, 1}, inf},
    {{inf, inf, greatest}, inf},
    {{inf, -inf}, nan},
    {{1, nan, inf}, nan},
    {{greatest, greatest, -inf}, -inf},
};

// Compares bits; any NaN is the same.
::testing::AssertionResult same(double a, double b) {
  if ((std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b))) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << a << " for " << b;
}
double sum(const std::vector<double>& x, bool reversed, bool negated) {
  onefold::ExactSum<double> s;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = x[reversed ? x.size() - 1 - i : i];
    s.add(negated ? -v : v);
  }
  return s.value();
}

TEST(OneFileFacts, AreSumsOfHardNumbers) {
  for (const Case& c : cases) {
    EXPECT_TRUE(same(sum(c.x, false, false), c.sum));
    EXPECT_TRUE(same(sum(c.x, true, false), c.sum));
    // Zeros that cancel are +0, whatever the signs.
    const bool stays = c.sum == 0 && !std::signbit(c.sum);
    if (stays) continue;
    EXPECT_TRUE(same(sum(c.x, false, true), -c.sum));
  }
}

TEST(OneFileFacts, HoldForOtherTypes) {
  onefold::ExactSum<float> f;
  const float x[] = {1e30f, 3, -1e30f, 5};
  f.add(x, 4);
  EXPECT_EQ(f.value(), 8.0f);
  EXPECT_EQ(f.mean(), 2.0f);
  onefold::ExactSum<int> i;
  for (int k = 0; k < 3; ++k) i.add(std::numeric_limits<int>::max());
  EXPECT_EQ(i.value(), 3 * int64_t{2147483647});
  EXPECT_THROW(i.value<int>(), onefold::Overflow);
  onefold::ExactSum<uint64_t> u;
  const uint64_t most[] = {~uint64_t{0}, 1};
  u.add(most, 2);
  EXPECT_THROW(u.value(), onefold::Overflow);
  EXPECT_EQ(u.value<double>(), 0x1p64);
  onefold::ExactSum<onefold::bfloat16> b;
  for (int k = 0; k < 1000; ++k) b.add(onefold::bfloat16{0x3f80});  // 1
  EXPECT_EQ(b.value<double>(), 1000);
  EXPECT_EQ(b.value().bits, 0x447a);  // 1000
}

TEST(OneFileFacts, HoldForProductsAndMoments) {
  onefold::ExactDot<double> d;
  const double x[] = {0x1p600, 1, -0x1p600, inf}, y[] = {0x1p600, 3, 0x1p600, 1};
  d.add(x, y, 3);
  EXPECT_EQ(d.value(), 3);
  d.add(0.0, inf);
  EXPECT_TRUE(std::isnan(d.value()));
  onefold::ExactDot<double> q;
  q.add(0x3p700, 0x3p700);
  q.add(0x4p700, 0x4p700);
  EXPECT_EQ(q.norm(), 0x5p700);  // its square would be infinite
  q.add(-0x9p700, 0x9p700);
  EXPECT_TRUE(std::isnan(q.norm()));
  onefold::ExactMoments<double> m;
  const double z[] = {1, 2, 3, 4, 5, 23};
  m.add(z, 6);
  EXPECT_EQ(m.skewness(), 1.6727687946848506);
  EXPECT_TRUE(std::isnan(onefold::ExactVar<double>().var()));
  onefold::ExactVar<double> v;
  v.add(z, 1);
  EXPECT_EQ(v.var(), 0);
  EXPECT_TRUE(std::isnan(v.var(1)));
}

#if defined(__SSE2__)
// Sums the elements while the mode register flushes subnormals and rounds to +infinity.
template <class T>
T sum_in_another_mode(const std::vector<T>& x) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040 | 0x4000);
  onefold::ExactSum<T> s;
  s.add(x.data(), x.size());
  const T sum = s.value();
  _mm_setcsr(before);
  return sum;
}
TEST(OneFileFacts, DoNotDependOnTheModeRegister) {
  std::vector<float> f(1024, 0x1p-149f), g(1024, 0x1p-126f), h(1024, 0.1f);
  EXPECT_EQ(sum_in_another_mode(f), 0x1p-139f);
  f[700] = 1;
  EXPECT_EQ(sum_in_another_mode(f), 1);
  EXPECT_EQ(sum_in_another_mode(g), 0x1p-116f);
  EXPECT_EQ(sum_in_another_mode(h), 102.4f);
  EXPECT_EQ(sum_in_another_mode(std::vector<double>(1024, 0x1p-1074)), 0x1p-1064);
  EXPECT_EQ(sum_in_another_mode(std::vector<double>(1024, 0.1)), 102.4);
}
#endif

constexpr double at_compile_time() {
  onefold::ExactSum<double> s(1e16);
  s += 1;
  s += -1e16;
  return s.value();
}
static_assert(at_compile_time() == 1);

template <class T, unsigned n>
constexpr bool adds_at_compile_time() {
  T x[n] = {};
  for (unsigned i = 0; i < n; ++i) x[i] = i == 0 ? T(0x1p60) : i + 1 == n ? -T(0x1p60) : T(i % 2);
  onefold::ExactVar<T> s;
  s.add(x, n);
  return s.sum() == T((n - 1) / 2) && s.count() == n;
}
// One below a block, one block, more.
static_assert(adds_at_compile_time<double, 255>() && adds_at_compile_time<double, 257>());
static_assert(adds_at_compile_time<float, 257>() && adds_at_compile_time<double, 701>());

TEST(OneFileFacts, GivesAnotherAnswerOfNothingIfAsked) {
  onefold::ExactSum<double> s;
  EXPECT_FALSE(std::signbit(s.value()));
  EXPECT_TRUE(std::signbit(s.value_or(-0.0)));
  EXPECT_EQ(s.value_or<float>(7), 7.0f);
  s.add(0.0);
  EXPECT_FALSE(std::signbit(s.value_or(-0.0)));
  EXPECT_EQ(onefold::ExactSum<int64_t>().value_or(-1), -1);
}

// Short sums have a path of their own, and long ones the other: a constant that is added to all
// elements changes no variance.
TEST(OneFileFacts, VariancesOfShortAndLongSumsAreEqual) {
  const double x[] = {1, 2, 4, 8, 16, 32, 64, 129};
  onefold::ExactVar<double> v;
  onefold::ExactMoments<double> m;
  v.add(x, 8);
  for (const double e : x) m.add(e);
  for (const int power : {-1000, -537, -1, 0, 300, 500}) {
    // Elements x 2^power, and one of 2^-1074 so that sums are long (its part of the answer is
    // lost).
    onefold::ExactVar<double> scaled, far;
    onefold::ExactMoments<double> moments;
    for (const double e : x) {
      scaled.add(std::ldexp(e, power));
      moments.add(std::ldexp(e, power));
    }
    EXPECT_EQ(scaled.std(1), std::ldexp(v.std(1), power));
    EXPECT_EQ(moments.skewness(), m.skewness());
    EXPECT_EQ(moments.kurtosis(), m.kurtosis());
    if (power < 300) continue;
    far = scaled;
    far.add(0x1p-1074);
    scaled.add(0.0);
    EXPECT_EQ(far.std(1), scaled.std(1));
  }
}

// Sums whose carries wait, that begin at any limb, that are negative or cancel: each variance is a
// quotient of integers below 2^53, rounded once.
TEST(OneFileFacts, VariancesOfWaitingCarriesAreExact) {
  std::mt19937_64 random(92);
  for (int round = 0; round < 20'000; ++round) {
    const int n = 2 + static_cast<int>(random() % 30),
              power = static_cast<int>(random() % 900) - 450;
    const int64_t mean = static_cast<int64_t>(random() % 4001) - 2000;
    onefold::ExactVar<double> v, other;
    int64_t sum = 0, squares = 0;
    for (int k = 0; k < n; ++k) {
      const int64_t x = mean + static_cast<int64_t>(random() % 2001) - 1000;
      sum += x;
      squares += x * x;
      (random() % 2 == 0 ? v : other).add(std::ldexp(static_cast<double>(x), power));
    }
    if (round % 3 == 0) other.words_added();  // carries no longer wait
    v.merge(other);
    const double spread = static_cast<double>(n * squares - sum * sum);
    EXPECT_EQ(v.var(1), std::ldexp(spread / (n * (n - 1)), 2 * power));
    EXPECT_EQ(v.var(), std::ldexp(spread / (n * n), 2 * power));
    if (HasFailure()) return;
  }
}

TEST(OneFileFacts, RefusesBytesWhoseLimbsAreNoDigits) {
  using Sum = onefold::ExactSum<double>;
  constexpr auto bytes = static_cast<std::size_t>(Sum::saved_bytes());
  unsigned char b[bytes];
  Sum sum(1.0), loaded;
  sum.save(b);
  EXPECT_TRUE(loaded.load(b, bytes));
  for (const int64_t wild : {std::numeric_limits<int64_t>::max(), int64_t{-1}, int64_t{1} << 32}) {
    sum.save(b);
    std::memcpy(b + 71, &wild, 8);  // the first limb
    const uint32_t crc = onefold::detail::crc32_of_bytes(b, bytes - 4);
    std::memcpy(b + bytes - 4, &crc, 4);
    EXPECT_FALSE(loaded.load(b, bytes)) << wild;
  }
}
TEST(OneFileFacts, TakesDdofOfAnyIntegerType) {
  onefold::ExactVar<double> v;
  for (const double x : {1.0, 2.0, 4.0}) v.add(x);
  EXPECT_EQ(v.var(1), v.var(int64_t{1}));
  EXPECT_EQ(v.var(uint8_t{1}), v.var(1));
}

}  // namespace
