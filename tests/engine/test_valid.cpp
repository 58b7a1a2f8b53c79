// States with a correct CRC whose words are invalid are refused; genuine ones are loaded.
#include <cmath>
#include <limits>

#include "engine/saved_state.hpp"
#include "generate.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

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

TEST(SavedState, OfOneElementWithSeveralValuesIsRefused) {
  expect_all_refused({{"var", {3}, Accumulator::sumsq, {5}, "one element has several values"}});
}

TEST(SavedState, WhoseSumsOfSquaresAreTooSmallIsRefused) {
  using enum Accumulator;
  const char* const why = "the variance is negative";
  expect_all_refused({{"kurtosis", {3, 3}, sumfourth, {3, 1}, why},
                      {"norm1,norm2", {3, 4}, sumabs, {4, 5}, why},
                      {"slope", {1, 1}, left_sum, {9, 9}, why, {1, 1}, {1, 1}},
                      {"corr", {1, 1}, right_sum, {1, 1}, why, {1, 1}, {9, 9}}});
}

TEST(SavedState, WhoseDifferencesBelongToNoPairIsRefused) {
  for (const Spliced& c : std::vector<Spliced>{
           {"max_abs_diff",
            {NAN},
            Accumulator::maxabsdiff,
            {3},
            "there is a difference, but no pair",
            {1},
            {1}},
           {"mae", {inf}, Accumulator::sumabsdiff, {3}, "too large for its elements", {1}, {1}}}) {
    expect_refused<double>(c);
    expect_refused<float>(c);
  }
}

TEST(SavedState, WithMoreInfinitiesThanPairsIsRefused) {
  const Spliced c{"mse", {0}, Accumulator::pairs, {inf, inf}, "elements differ", {0}, {0, 1}};
  expect_refused<double>(c);
  test::Bytes bytes = gather("mse", std::vector<double>{0}, std::vector<double>{0}).save();
  const auto words = test::words_of(bytes, Accumulator::pairs, f64);
  words[8 * 3] = std::byte{1};  // an infinite y, but no infinite pair
  test::seal(bytes);
  EXPECT_NE(test::refusal(bytes).find("more infinities than pairs"), std::string::npos);
}

// The limbs have room for 64 bits above one element; one element needs 1 of them.
TEST(SavedState, WhoseSumIsBeyondItsElementsIsRefused) {
  for (const int bit : {0, 1, 2, 33}) {
    test::Bytes bytes = gather("sum", std::vector<double>{0}).save();
    const auto words = test::words_of(bytes, Accumulator::sum, f64);
    const auto at = words.size() - 16 + static_cast<std::size_t>(bit / 32) * 8;
    words[at] = static_cast<std::byte>(1 << bit % 32);
    test::seal(bytes);
    const bool refused = !test::refusal(bytes).empty();
    EXPECT_EQ(refused, bit > 0) << bit << ": " << test::refusal(bytes);
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
    EXPECT_NE(test::refusal(bytes).find("a difference is not a valid number"), std::string::npos);
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
  for (int round = 0; round < test::scaled(10000) && !HasFailure(); ++round) {
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

// Replaces words of some accumulators by others that are canonical, most of them very large.
void forge(Random& r, test::Bytes& bytes, Accumulators held, DType t) {
  for (int a = 0; a < every_accumulator; ++a) {
    const auto accumulator = static_cast<Accumulator>(a);
    if (!held.has(accumulator) || r() % 3 == 0) continue;
    const auto words = test::words_of(bytes, accumulator, t);
    const AccumulatorRow& row = row_of(accumulator, t);
    const int digits = row.limbs - 2, low = digits > 0 ? static_cast<int>(r() % row.limbs) : 0;
    for (int k = low; k < digits; ++k) {
      const uint64_t digit = r() % 4 == 0 ? 0xffffffff : r() >> 32;
      std::memcpy(&words[static_cast<std::size_t>(8 * k)], &digit, 8);
    }
    if (row.limbs == 0 && r() % 4 == 0) {
      const uint64_t word = r() >> r() % 64;
      std::memcpy(&words[8 * (r() % static_cast<std::size_t>(row.words))], &word, 8);
    }
  }
  test::seal(bytes);
}

// Whatever passes the checks has an answer, or a status: nothing overflows, and nothing hangs.
TEST(SavedState, ThatIsForgedIsRefusedOrAnswersEveryOp) {
  Random r(2);
  int loaded = 0, rounds = 4000;
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    const auto t = static_cast<DType>(r() % dtype_count);
    const bool pairs = r() % 2 == 0;
    const std::size_t n = 1 + r() % 3;
    const Data x = some_data(r, t, n), y = some_data(r, t, n);
    const auto extent = static_cast<int64_t>(n);
    const ArrayRef a(x.data(), t, {extent}), b(y.data(), t, {extent});
    std::vector<const OpRow*> ops;
    Accumulators held;
    std::string names;
    for (const OpRow& op : op_rows()) {
      if ((op.about->inputs == 2) != pairs || op.about->uses_index || r() % 2 == 0) continue;
      ops.push_back(&op);
      held = held | op.about->needs;
      names += (names.empty() ? "" : ",") + std::string(op.name);
    }
    if (ops.empty()) continue;
    State state = pairs ? gather(names, a, b) : gather(names, a);
    for (uint64_t doubled = r() % 2 * (r() % 61); doubled > 0; --doubled) {
      state.merge(State(state));
    }
    test::Bytes bytes = state.save();
    forge(r, bytes, held, t);
    if (!test::refusal(bytes).empty()) continue;
    ++loaded;
    state = State::load(bytes);
    EXPECT_EQ(state.save(), bytes);
    for (const OpRow* op : ops) {
      for (const Correction ddof : {Correction(0), Correction(-0x1p62), Correction(0x1p-29)}) {
        try {
          static_cast<void>(state.answer(op->name, {.ddof = ddof}));
        } catch (const Error& e) {
          EXPECT_NE(e.code(), ErrorCode::internal) << op->name << ": " << e.what();
        }
      }
    }
  }
  EXPECT_GT(loaded, rounds / 50);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
