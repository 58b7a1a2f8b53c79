// States with a correct CRC whose words no data can give are refused; genuine ones are loaded.
#include <cmath>
#include <limits>

#include "api/saved_state.hpp"
#include "generate.hpp"

namespace onefold {
namespace {

using test::Data;
using test::expect_refused;
using test::Random;
using test::Spliced;

constexpr double inf = std::numeric_limits<double>::infinity();

void expect_all_refused(const std::vector<Spliced>& cases) {
  for (const Spliced& c : cases) {
    expect_refused<double>(c);
    expect_refused<float>(c);
    expect_refused<int32_t>(c);
  }
}

TEST(SavedState, WhoseMeanIsBeyondOneExtremeIsRefused) {
  const char* const why = "the mean is beyond the extremes";
  expect_all_refused({{"mean,max", {1}, Accumulator::sum, {3}, why},
                      {"mean,min", {5}, Accumulator::sum, {3}, why},
                      {"mean,max", {-1, -2}, Accumulator::sum, {-1, 1}, why}});
}

// 1, 3 and a third element between them have a sum from 5 to 7.
TEST(SavedState, WhoseSumLacksAnExtremeIsRefused) {
  const char* const why = "the mean is beyond the extremes";
  expect_all_refused({{"mean,min,max", {1, 3, 1}, Accumulator::sum, {1, 1, 2}, why},
                      {"mean,min,max", {1, 3, 1}, Accumulator::sum, {3, 3, 2}, why}});
}

TEST(SavedState, WhoseMagnitudesContradictAnExtremeIsRefused) {
  using enum Accumulator;
  expect_all_refused(
      {{"norm1,max", {3, 1}, sumabs, {1, 1}, "the magnitudes are below an extreme"},
       {"norm1,min", {-3, 1}, sumabs, {1, 1}, "the magnitudes are below an extreme"},
       {"norm1,min", {2, 4}, sumabs, {1, 1}, "the magnitudes are below an extreme"},
       {"sum,norm1,min", {1, 2}, sumabs, {1, 4}, "of one sign are not their sum"},
       {"sum,norm1,max", {-1, -2}, sumabs, {1, 4}, "of one sign are not their sum"},
       {"norm1,min,max", {-1, 1}, sumabs, {1, 3}, "are beyond those of the extremes"}});
}

TEST(SavedState, WhoseSquaresContradictAnExtremeIsRefused) {
  using enum Accumulator;
  expect_all_refused(
      {{"norm2,max", {3, 1}, sumsq, {1, 1}, "the squares are below that of an extreme"},
       {"norm2,min", {2, 2}, sumsq, {2, 1}, "the squares are below that of an extreme"},
       {"norm2,min,max", {-1, 1}, sumsq, {2, 2}, "the squares are beyond those of the extremes"}});
}

// 0, 4 and a third element with sum 5 have squares 17; at most 20 were possible with more elements.
TEST(SavedState, WhoseVarianceIsBeyondThatOfItsExtremesIsRefused) {
  expect_all_refused({{"var,min,max",
                       {0, 1, 4},
                       Accumulator::sumsq,
                       {1, 2, 4},
                       "the squares are beyond those of the extremes"}});
}

TEST(SavedState, OfOneElementWithSeveralValuesIsRefused) {
  const char* const why = "one element has several values";
  expect_all_refused({{"var", {3}, Accumulator::sumsq, {5}, why},
                      {"sum,norm1", {3}, Accumulator::sumabs, {5}, why},
                      {"var,count_zero", {3, 0}, Accumulator::sumsq, {5, 0}, why}});
}

TEST(SavedState, WhoseExtremesAreFiniteBesideNothingFiniteIsRefused) {
  const char* const why = "the numbers are not those counted";
  for (const Spliced& c :
       std::vector<Spliced>{{"mean,max", {0, 0}, Accumulator::tally, {-inf, -inf}, why},
                            {"count,min", {inf, inf}, Accumulator::tally, {inf, 1}, why}}) {
    expect_refused<double>(c);
    expect_refused<float>(c);
  }
}

TEST(SavedState, WhoseProductsAreBeyondTheSquaresIsRefused) {
  expect_all_refused({{"cosine",
                       {1, 2},
                       Accumulator::dot,
                       {10, 1},
                       "the products are beyond the squares",
                       {2, 1},
                       {10, 1}}});
}

TEST(SavedState, WhoseCorrelationIsBeyond1IsRefused) {
  const char* const why = "the correlation is beyond 1";
  expect_all_refused({{"corr", {1, 2, 3}, Accumulator::dot, {-1, -2, 0}, why, {1, 3, 2}, {1, 2, 5}},
                      {"corr", {1, 1, 1}, Accumulator::dot, {1, 1, 2}, why, {1, 3, 2}, {1, 1, 1}}});
}

TEST(SavedState, WhoseProductsAreNotThoseOfAConstantIsRefused) {
  const char* const why = "the products are not those of a constant";
  expect_all_refused({{"slope", {2, 2}, Accumulator::dot, {2, 2}, why, {1, 3}, {1, 4}},
                      {"cov", {3}, Accumulator::dot, {5}, why, {4}, {3}}});
}

TEST(SavedState, WhosePairsContradictTheirDifferencesIsRefused) {
  using enum Accumulator;
  expect_all_refused({
      {"mae,mse", {1, 2}, sumabsdiff, {1, 2}, "not those of the squares", {2, 4}, {1, 3}},
      {"mae,mse", {1, 2}, sumabsdiff, {1, 2}, "not those of the squares", {2, 4}, {4, 4}},
      {"mae,cov", {1, 2}, sumabsdiff, {1, 2}, "below that of the sums", {2, 4}, {1, 3}},
      {"mae,max_abs_diff", {1, 2}, sumabsdiff, {1, 2}, "those of the greatest", {2, 4}, {1, 3}},
      {"mae,max_abs_diff", {1, 2}, sumabsdiff, {1, 2}, "those of the greatest", {2, 4}, {4, 4}},
  });
  expect_refused<int16_t>({"mae,cov", {1}, sumabsdiff, {1}, "one sum is odd", {2}, {3}});
}

TEST(SavedState, WhoseSumsOfPairsAreBeyondTheirElementsIsRefused) {
  using enum Accumulator;
  const std::vector<double> most(3, -32768);
  expect_refused<int16_t>({"slope", {1}, left_sum, most, "sum is beyond its elements", {1}, most});
  expect_refused<int16_t>({"slope", {1}, left_sumsq, most, "squares is beyond its", {1}, most});
  expect_refused<int16_t>(
      {"slope", {1, 1}, left_sum, {9, 9}, "variance is negative", {1, 1}, {1, 1}});
  expect_refused<int16_t>({"slope", {1, 2}, left_sumsq, {1, 3}, "one sum is odd", {1, 1}, {1, 1}});
}

TEST(SavedState, WhoseCountsOfPairsContradictEachOtherIsRefused) {
  for (const Spliced& c : std::vector<Spliced>{{"mse",
                                                {0, 0},
                                                Accumulator::dot,
                                                {0, NAN},
                                                "the NaN are not those counted",
                                                {0, 0},
                                                {0, 0}},
                                               {"mse",
                                                {0, 0},
                                                Accumulator::dot,
                                                {0, inf},
                                                "the infinities are not those counted",
                                                {0, 0},
                                                {0, 0}},
                                               {"max_abs_diff",
                                                {NAN},
                                                Accumulator::maxabsdiff,
                                                {3},
                                                "a difference without a pair",
                                                {1},
                                                {1}}}) {
    expect_refused<double>(c);
    expect_refused<float>(c);
  }
}

TEST(SavedState, WithAGreatestDifferenceThatIsNoneIsRefused) {
  const std::vector<double> x{1, 2}, y{2, 4};
  const test::Bytes good = gather("max_abs_diff", x, y).save();
  for (const auto& [high, low] :
       {std::pair{-1.0, 0.0}, {double{NAN}, 0.0}, {1.0, -2.0}, {1., inf}}) {
    test::Bytes bytes = good;
    const auto words = test::words_of(bytes, Accumulator::maxabsdiff, f64);
    std::memcpy(words.data(), &high, 8);
    std::memcpy(&words[8], &low, 8);
    test::seal(bytes);
    EXPECT_NE(test::refusal(bytes).find("a difference that is none"), std::string::npos);
  }
}

// Elements for which the checked inequalities are equalities, or nearly: one element, a constant,
// random and special elements.
Data some_data(Random& r, DType t, std::size_t n) {
  const auto names = test::generators(t);
  Data x = test::generate(names[r() % names.size()], t, n, r());
  const uint64_t kind = r() % 4, sign = uint64_t{1} << (8 * bytes_of(t) - 1);
  for (std::size_t i = 0; i < n; ++i) {
    if (kind == 0) x.set(i, x.bits(0));
    if (kind == 1 && r() % 2 == 0) x.set(i, sign);
    if (kind == 1 && r() % 8 == 0 && is_floating(t)) {
      const double special[] = {NAN, 1, -1, 0};
      const uint64_t infinity = test::bits_near(t, INFINITY) + 1;
      x.set(i, r() % 3 == 0                   ? infinity | (r() % 2 == 0 ? sign : 0)
               : std::isnan(special[r() % 4]) ? infinity + 1
                                              : test::bits_near(t, special[r() % 4]));
    }
  }
  return x;
}

std::string some_ops(Random& r, bool pairs, bool repeated) {
  std::string ops;
  const uint64_t one_of = 1 + r() % 8;
  for (const OpRow& op : op_rows()) {
    if ((op.about->inputs == 2) != pairs || r() % one_of != 0) continue;
    if (repeated && op.about->uses_index) continue;
    ops += (ops.empty() ? "" : ",") + std::string(op.name);
  }
  return ops.empty() ? pairs ? "corr" : "var" : ops;
}

// Also for states of elements with frequency weights.
TEST(SavedState, OfAnyDataIsLoaded) {
  Random r(1);
  for (int round = 0; round < 10000 && !HasFailure(); ++round) {
    const auto t = static_cast<DType>(r() % dtype_count);
    const std::size_t n = r() % 8 == 0 ? r() % 200 : r() % 4;
    const bool pairs = r() % 2 == 0, repeated = !pairs && n != 0 && r() % 4 == 0;
    const Data x = some_data(r, t, n), y = r() % 4 == 0 ? x : some_data(r, t, n);
    const auto extent = static_cast<int64_t>(n);
    const ArrayRef a(x.data(), t, {extent}), b(y.data(), t, {extent});
    const std::string ops = some_ops(r, pairs, repeated);
    Options o;
    o.nan = static_cast<NanPolicy>(r() % 3);
    std::vector<int32_t> repeats;
    for (std::size_t i = 0; i < n; ++i) repeats.push_back(static_cast<int32_t>(r() % 5));
    if (repeated) o.fweights = ArrayRef(repeats);
    const State state = pairs ? gather(ops, a, b, o) : gather(ops, a, o);
    EXPECT_EQ(test::refusal(state.save()), "")
        << ops << " of " << n << " " << name_of(t) << " in round " << round;
  }
}

}  // namespace
}  // namespace onefold
