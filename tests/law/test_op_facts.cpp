// The facts that an op's file declares match its formula, for each op. Kernels compile no
// undeclared step, and every list, language and backend reads these facts only.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "check.hpp"
#include "generate.hpp"
#include "onefold/core/formula.hpp"
#include "onefold/core/named.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/generated/op.inl"
#include "onefold/onefold.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using test::Random;

// Random words that a formula may read; records the accumulators that the formula reads.
struct Drawn {
  NanPolicy nan = NanPolicy::propagate;
  Correction correction;
  Tally counts;
  SignedMagnitude sum;
  Leading square;
  Size some = 0;
  Extreme low, high;
  mutable Accumulators asked;
  static constexpr Accumulators squares = Accumulator::left_sumsq | Accumulator::right_sumsq;

  Real root_of(Accumulators words) const {
    asked = asked | words;
    Real r = Real::integer(some);
    r.root = true;
    return r;
  }
  Tally tally_of(Accumulator a) const {
    asked = asked | a;
    return counts;
  }
  Tally tally() const { return tally_of(Accumulator::tally); }
  Tally dot_tally() const { return tally_of(Accumulator::dot); }
  SignedMagnitude limbs(Accumulator a) const {
    asked = asked | a;
    return {sum.magnitude, sum.negative && (a == Accumulator::sum || a == Accumulator::dot)};
  }
  Leading spread(uint32_t) const {
    asked = asked | (Accumulator::sum | Accumulator::sumsq);
    return square;
  }
  Size counted(Accumulator a) const {
    asked = asked | a;
    return some;
  }
  PairTally pair_tally() const {
    asked = asked | Accumulator::pairs;
    const Size infinite = counts.positive_infinity + counts.negative_infinity;
    return {.n = counts.n,
            .nan = counts.nan,
            .infinite = infinite,
            .right_infinite = 0,
            .same_infinity = infinite};
  }
  Leading squared_difference() const {
    asked = asked | squares | Accumulator::dot;
    return square;
  }
  SignedMagnitude common_spread(uint32_t) const {
    asked = asked | (Accumulator::left_sum | Accumulator::right_sum) | Accumulator::dot;
    return sum;
  }
  Leading total_spread(uint32_t) const {
    asked = asked | needs_of(Statistic::total_variance, 2);
    return square;
  }
  Real greatest_difference() const {
    asked = asked | Accumulator::maxabsdiff;
    return Real::integer(some);
  }
  template <Statistic is>
  Real statistic() const {
    asked = asked | needs_of(is, is_moment(is) ? 1 : 2);
    const bool root =
        is == Statistic::correlation || is == Statistic::cosine || is == Statistic::skewness;
    return root ? root_of({}) : Real::integer(some);
  }
  Extreme extreme(Accumulator a) const {
    asked = asked | a;
    return a == Accumulator::least ? low : high;
  }
};

Leading some_leading(Random& r) {
  if (r() % 4 == 0) return {};
  return Leading(r() % 2 == 0 ? Uint128{r() % 5 + 1} : Uint128{r()} << r() % 64);
}
Extreme some_extreme(Random& r, bool empty, NanPolicy nan) {
  if (empty) return extreme_of(none, none, nan);
  Extreme e = extreme_of(r() % 1000, r() % 8 == 0 ? r() % 1000 : none, nan);
  if (!e.nan) {
    e.value = r() % 8 == 0 ? Real::infinity(r() % 2 == 0) : Real::integer(r() % 5, r() % 2 == 0);
  }
  return e;
}
Drawn some_words(Random& r) {
  const Correction corrections[] = {0, 1, 0.5, -3, 0x1p-29, 2.125, 1000000};
  Drawn d;
  d.nan = static_cast<NanPolicy>(r() % 3);
  d.correction = corrections[r() % std::size(corrections)];
  const Size sizes[] = {0, 1, 2, 1000, Size{1} << 33, Size{1} << 62};
  d.counts.n = sizes[r() % std::size(sizes)];
  if (d.counts.n > 1 && r() % 4 == 0) {
    (r() % 2 == 0 ? d.counts.positive_infinity : d.counts.negative_infinity) = 1;
    if (r() % 2 == 0) d.counts.nan = 1;
    if (r() % 4 == 0) d.counts.invalid = 1;
  }
  d.counts.all_negative_zero = d.counts.n > 0 && r() % 8 == 0;
  d.sum = {some_leading(r), r() % 2 == 0};
  d.square = some_leading(r);
  d.some = d.counts.n == 0 ? 0 : r() % 2 * (r() % d.counts.n + 1);
  d.low = some_extreme(r, d.counts.n == 0, d.nan);
  d.high = some_extreme(r, d.counts.n == 0, d.nan);
  return d;
}

struct Seen {
  bool quotient = false, second_quotient = false, root = false, uses_ddof = false;
  bool empty_is_bad = true;
  int divisor_bits = 0;  // bits of the longest divisor
  Accumulators asked;
};
constexpr int draws = 20000;

template <class Op>
Seen look_at() {
  Seen seen;
  Random r(7);
  for (int k = 0; k < draws; ++k) {
    Drawn d = some_words(r);
    const Real v = Op::finish(d);
    seen.asked = seen.asked | d.asked;
    if (d.counts.n == 0) {
      seen.empty_is_bad = seen.empty_is_bad && v.kind == Real::Kind::bad;
    }
    if (v.kind != Real::Kind::finite) continue;
    seen.quotient = seen.quotient || v.n != 1 || v.left != 1;
    seen.second_quotient = seen.second_quotient || v.left != 1;
    seen.root = seen.root || v.root;
    seen.divisor_bits = std::max({seen.divisor_bits, bit_length(v.n), bit_length(v.left)});
    // The same policy and words, but another ddof.
    d.correction = 7;
    const Real other = Op::finish(d);
    seen.uses_ddof =
        seen.uses_ddof || v.kind != other.kind || v.n != other.n || v.left != other.left;
  }
  return seen;
}

TEST(OpFacts, AreWhatFormulasDo) {
  const auto check = [](const char* name, const OpFacts& about, const Seen& seen) {
    SCOPED_TRACE(name);
    EXPECT_EQ(about.steps.quotient, seen.quotient);
    EXPECT_EQ(about.steps.second_quotient, seen.second_quotient);
    EXPECT_EQ(about.steps.root, seen.root);
    EXPECT_EQ(about.uses_ddof, seen.uses_ddof);
    EXPECT_EQ(about.needs_element, seen.empty_is_bad);
    EXPECT_LE(seen.divisor_bits, 96) << "a divisor is longer than Real's";
    EXPECT_TRUE(seen.asked.within(about.needs)) << "asks for words that it does not need";
    EXPECT_TRUE(about.needs.within(seen.asked | Accumulator::tally)) << "needs what it never reads";
  };
#define ONEFOLD_ENTRY(name) check(#name, op::name##_::about, look_at<op::name##_>());
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
}

TEST(OpFacts, SayHowManyArraysAnOpReads) {
  for (const OpRow& op : op_rows()) {
    int inputs = 1;
    for (int a = 0; a < every_accumulator; ++a) {
      const auto accumulator = static_cast<Accumulator>(a);
      if (!op.about->needs.has(accumulator)) continue;
      inputs = std::max(inputs, row_of(accumulator, DType::f64).inputs);
    }
    EXPECT_EQ(op.about->inputs, inputs) << op.name;
    EXPECT_EQ(op.about->uses_index, op.about->index_of != nullptr) << op.name;
  }
}

// Windows of different numbers of elements take their divisors from those of four.
TEST(OpFacts, DivideByPolynomialsOfTheThirdDegree) {
  for (const OpRow& op : op_rows()) {
    if (op.recipe == nullptr) continue;
    for (const Correction c : {Correction(0), Correction(1), Correction(0.5), Correction(2.125)}) {
      for (const Size step : {1, 7}) {
        for (Size n = 5; n < 3000; n += 41) {
          Uint128 divisor[5];  // modulo 2^128
          QuickFormula f, first;
          bool usable = true;
          for (int k = 0; k < 5; ++k) {
            const Size of = n + static_cast<Size>(k) * step;
            Named named;
            named.n = of;
            named.correction = c;
            const Recipe r = op.recipe(named);
            usable = usable && quick_formula(r, of, f);
            divisor[k] = r.n * r.left;
            if (k == 0) first = f;
            f.elements = first.elements;
            f.n = first.n;
            f.left = first.left;
            EXPECT_TRUE(!usable || f == first) << op.name << " of " << of;
          }
          const Uint128 fourth = divisor[4] - 4 * (divisor[3] + divisor[1]) + 6 * divisor[2];
          EXPECT_TRUE(!usable || fourth + divisor[0] == 0) << op.name << " of " << n;
        }
      }
    }
  }
}

// An array whose elements are all the type's least number, or its greatest if `most`.
test::Data limits_of(DType t, std::size_t n, bool most) {
  const int bits = t == DType::boolean ? 1 : static_cast<int>(8 * bytes_of(t));
  const uint64_t top = uint64_t{1} << (bits - 1);
  const bool is_signed = kind_of(t) == Kind::signed_integer;
  test::Data x(t, n);
  for (std::size_t i = 0; i < n; ++i) {
    x.set(i, is_signed ? (most ? top - 1 : top) : (most ? top - 1 + top : 0));
  }
  return x;
}

Answers answer_of(const OpRow& op, const test::Data& x, const test::Data& y, Options o = {}) {
  const auto n = static_cast<int64_t>(x.size());
  const ArrayRef a(x.data(), x.dtype(), {n}), b(y.data(), y.dtype(), {n});
  return op.about->inputs == 2 ? fold(op.name, a, b, o) : fold(op.name, a, o);
}

// Arrays of the type's extremes: nothing overflows where `fits` says so. A degree that is too low
// is found, since sums of a few such elements overflow.
TEST(OpFacts, SayWhichIntegerAnswersMayOverflow) {
  Random r(3);
  bool some = false;
  for (const OpRow& op : op_rows()) {
    bool overflows = false;
    for (int t = 0; t < dtype_count; ++t) {
      const auto dtype = static_cast<DType>(t);
      if (is_floating(dtype) || is_floating(op.about->result.of(dtype))) continue;
      for (int k = 0; k < 40; ++k) {
        // The first arrays are as far apart as possible, or are the same array.
        const bool apart = k < 16;
        const std::size_t n = apart ? 1 + static_cast<std::size_t>(k) / 4 : 1 + r() % 40;
        const test::Data x =
            apart ? limits_of(dtype, n, k % 2 == 0) : test::generate("limits", dtype, n, r());
        const test::Data y =
            apart ? limits_of(dtype, n, k / 2 % 2 == 0) : test::generate("limits", dtype, n, r());
        const bool bad = answer_of(op, x, y).list[0].only().status == Status::overflow;
        overflows = overflows || bad;
        EXPECT_FALSE(bad && n < elements_that_fit(*op.about, dtype))
            << op.name << " of " << n << " " << name_of(dtype);
      }
    }
    EXPECT_TRUE(!overflows || op.about->degree > 0) << op.name;
    some = some || overflows;
  }
  EXPECT_TRUE(some) << "nothing overflowed";
}

// Merges the answers to parts of an array by the op that is declared to merge them.
TEST(OpFacts, SayHowAnswersToPartsMerge) {
  Random r(5);
  for (const OpRow& op : op_rows()) {
    if (op.about->merged_by == nullptr) continue;
    for (const DType dtype : {DType::f32, DType::i16, DType::u64, DType::boolean}) {
      const std::size_t half = 1 + r() % 30, n = 2 * half;
      const test::Data x =
          test::generate(is_floating(dtype) ? "any_bits" : "random", dtype, n, r());
      const DType result = op.about->result.of(dtype);
      uint64_t parts[2] = {}, whole = 0, merged = 0;
      const Size bytes = bytes_of(result);
      const auto rows = static_cast<int64_t>(half);
      std::byte out[16];
      fold_into(OutputRef(out, result, {2}), op.name, ArrayRef(x.data(), dtype, {2, rows}),
                {.axes = {1}});
      std::memcpy(parts, out, 2 * bytes);
      fold_into(OutputRef(&merged, result, {}), op.about->merged_by, ArrayRef(out, result, {2}));
      fold_into(OutputRef(&whole, result, {}), op.name, ArrayRef(x.data(), dtype, {2 * rows}));
      EXPECT_EQ(merged, whole) << op.name << " of " << name_of(dtype);
    }
  }
}

}  // namespace ONEFOLD_FILE
