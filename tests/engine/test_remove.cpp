// Removal: the exact inverse of merging, or an error with a message of one line.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/saved_state.hpp"
#include "expect_error.hpp"
#include "generate.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/states.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;

constexpr double inf = std::numeric_limits<double>::infinity();

bool has_inverse(const OpRow& op) {
  for (int a = 0; a < every_accumulator; ++a) {
    const auto accumulator = static_cast<Accumulator>(a);
    if (op.about->needs.has(accumulator) && !row_of(accumulator, f64).additive) return false;
  }
  return true;
}

std::string ops_of(int inputs) {
  std::string all;
  for (const OpRow& op : op_rows()) {
    if (op.about->inputs != inputs || !has_inverse(op)) continue;
    all += (all.empty() ? "" : ",") + std::string(op.name);
  }
  return all;
}

// Expects an error of one line and an unchanged state.
void expect_refused(State state, const State& other, const std::string& says) {
  const State before = state;
  const auto [code, line] = test::caught([&] { state.remove(other); });
  EXPECT_EQ(code, ErrorCode::bad_state) << line;
  EXPECT_NE(line.find(says), std::string::npos) << line;
  EXPECT_EQ(state, before);
}

// The remaining elements sum to 0, so it is unknown whether all of them are -0.
bool may_be_refused(const std::exception& e) {
  return std::string(e.what()).find("the remaining elements sum to 0") != std::string::npos;
}

// For every type, generator and cut, removing restores the bytes from before merging.
TEST(Removal, UndoesMergingForAllOpsThatHaveAnInverse) {
  Random r(35);
  int undone = 0, refused = 0;
  for (int t = 0; t < dtype_count; ++t) {
    const auto dtype = static_cast<DType>(t);
    for (const std::string_view g : test::generators(dtype)) {
      for (int k = 0; k < 6; ++k) {
        SCOPED_TRACE(test::describe(g, dtype, 64, static_cast<uint64_t>(k)));
        const Data x = test::generate(g, dtype, 64, static_cast<uint64_t>(k)),
                   y = test::generate(g, dtype, 64, static_cast<uint64_t>(k) + 100);
        const auto cut = static_cast<int64_t>(test::pick(r, 0, 64));
        const auto nan = static_cast<NanPolicy>(k % 3);
        const auto of = [&](int inputs, int64_t begin, int64_t end) {
          const ArrayRef a(x.at(static_cast<std::size_t>(begin)), dtype, Dims(end - begin)),
              b(y.at(static_cast<std::size_t>(begin)), dtype, Dims(end - begin));
          return inputs == 1 ? gather(ops_of(1), a, {.nan = nan})
                             : gather(ops_of(2), a, b, {.nan = nan});
        };
        for (const int inputs : {1, 2}) {
          const State a = of(inputs, 0, cut), b = of(inputs, cut, 64);
          State both = a;
          both.merge(b);
          try {
            both.remove(b);
            EXPECT_EQ(both.save(), a.save());
            EXPECT_EQ(both.digest(), a.digest());
            ++undone;
          } catch (const Error& e) {
            EXPECT_TRUE(may_be_refused(e)) << e.what();
            EXPECT_TRUE(is_floating(dtype));
            EXPECT_EQ(both, of(inputs, 0, 64));
            ++refused;
          }
        }
      }
    }
  }
  EXPECT_GT(undone, 20 * refused) << undone << ' ' << refused;
}

TEST(Removal, OfAllLeavesNothing) {
  const std::vector<double> x = {1, -0.0, inf, -inf, std::nan(""), 0};
  State state = gather(ops_of(1), x);
  state.remove(state);
  EXPECT_EQ(state, gather(ops_of(1), std::vector<double>()));
  EXPECT_EQ(state.save(), gather(ops_of(1), std::vector<double>()).save());
}

TEST(Removal, OfNothingChangesNothing) {
  const State state = gather("sum", std::vector<double>{1, 2});
  State same = state;
  same.remove(State());
  same.remove(gather("sum", std::vector<double>()));
  EXPECT_EQ(same, state);
  State nothing;
  nothing.remove(State());
  EXPECT_EQ(nothing, State());
}

TEST(Removal, IsRefusedWhereTheStateHoldsExtremes) {
  const std::vector<double> x = {1, 2};
  for (const OpRow& op : op_rows()) {
    if (has_inverse(op)) continue;
    const State s = op.about->inputs == 1 ? gather(op.name, x) : gather(op.name, x, x);
    expect_refused(s, s, "the states contain extremes (");
  }
  expect_refused(gather("sum,min", x), gather("sum,min", x), "(least)");
}

TEST(Removal, IsRefusedWhereWhatIsLeftMayBeNegativeZeros) {
  const auto gathered = [](std::vector<double> x) { return gather("sum", x); };
  for (const double zero : {0.0, -0.0}) {
    expect_refused(gathered({zero, 5}), gathered({5}), "the sign of this 0 is unknown");
  }
  // Counts, and sums of what has no sign, are never -0.
  for (const char* op : {"count", "count_nan", "count_nonzero", "norm1", "norm2", "sumsq"}) {
    State s = gather(op, std::vector<double>{-0.0, 0, 5});
    s.remove(gather(op, std::vector<double>{5}));
    const State anew = gather(op, std::vector<double>{-0.0, 0});
    EXPECT_EQ(s.answer(op).bits, anew.answer(op).bits) << op;
    s.remove(anew);
    EXPECT_EQ(s.answer("count").bits, 0U) << op;
  }
  // The flag is known if the removed elements are all -0, or if the remaining sum is not 0.
  State s = gathered({-0.0, -0.0, 5});
  s.remove(gathered({-0.0}));
  EXPECT_EQ(s, gathered({-0.0, 5}));
  s.remove(gathered({-0.0}));
  EXPECT_EQ(s, gathered({5}));
  State zeros = gathered({-0.0, -0.0});
  zeros.remove(gathered({-0.0}));
  EXPECT_EQ(zeros.save(), gathered({-0.0}).save());
  // Squares show that elements that cancel are not zeros; integers have only one zero.
  State cancelled = gather("var", std::vector<double>{1, -1, 7});
  cancelled.remove(gather("var", std::vector<double>{7}));
  EXPECT_EQ(cancelled, gather("var", std::vector<double>{1, -1}));
  State whole = gather("sum", std::vector<int>{0, 7});
  whole.remove(gather("sum", std::vector<int>{7}));
  EXPECT_EQ(whole, gather("sum", std::vector<int>{0}));
}

TEST(Removal, IsRefusedOfWhatWasNotMerged) {
  const auto gathered = [](std::vector<double> x) { return gather("mean,var", x); };
  expect_refused(gathered({1}), gathered({1, 2}), "2 elements cannot be removed from a state of 1");
  expect_refused(gathered({1, 2}), gathered({3}), "not part of the state");
  expect_refused(gathered({1, 2}), gathered({inf}), "not part of the state");
  expect_refused(gathered({-0.0, -0.0}), gathered({0.0}), "not part of the state");
  expect_refused(gathered({1, 2}), gather("sum", std::vector<double>{1}),
                 "remove: the states differ");
  expect_refused(gathered({1, 2}), gather("mean,var", std::vector<float>{1}), "element type");
  expect_refused(State(), gathered({1}), "the state is empty");
}

State share(const std::vector<double>& x, uint64_t hash) {
  return State::load(test::of_share(gather("sum", x).save(), 9, hash));
}

TEST(Removal, OfAShareWantsOneOfTheSameFiles) {
  State all = share({1, 2}, 7);
  all.merge(share({3}, 7));
  expect_refused(all, share({3}, 8), "a share of different files");
  expect_refused(gather("sum", std::vector<double>{1, 3}), share({3}, 7),
                 "a share of different files");
  all.remove(share({3}, 7));
  EXPECT_EQ(all, share({1, 2}, 7));
}

TEST(RemovalOfSlices, IsThatOfEachState) {
  for (int t = 0; t < dtype_count; ++t) {
    const auto dtype = static_cast<DType>(t);
    for (const std::string_view g : test::generators(dtype)) {
      SCOPED_TRACE(test::describe(g, dtype, 240, 3));
      const Data x = test::generate(g, dtype, 240, 3);
      const auto rows = [&](int64_t first, int64_t last) {
        const ArrayRef part(x.at(static_cast<std::size_t>(20 * first)), dtype,
                            Dims(last - first, 20));
        return gather_states(ops_of(1), part, {.axes = {0}});
      };
      const States a = rows(0, 7), b = rows(7, 12);
      States both = a;
      both.merge(b);
      const States before = both;
      try {
        both.remove(b);
        EXPECT_EQ(both.save(), a.save());
      } catch (const Error& e) {
        EXPECT_TRUE(may_be_refused(e)) << e.what();
        EXPECT_EQ(both, before);
      }
    }
  }
  const std::vector<double> x = {1, 2, 3, 4};
  States two = gather_states("sum", ArrayRef(x.data(), f64, Dims(2, 2)), {.axes = {0}});
  const States four = gather_states("sum", ArrayRef(x.data(), f64, Dims(1, 4)), {.axes = {0}});
  EXPECT_EQ(test::caught([&] { two.remove(four); }).code, ErrorCode::shape_mismatch);
  States least = gather_states("min", ArrayRef(x.data(), f64, Dims(2, 2)), {.axes = {0}});
  EXPECT_EQ(test::caught([&] { least.remove(least); }).code, ErrorCode::bad_state);
  EXPECT_EQ(test::caught([&] { States().remove(two); }).code, ErrorCode::bad_state);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
