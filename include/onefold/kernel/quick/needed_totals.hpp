// Says which totals a set of ops needs for an answer; known when a kernel is compiled.
#pragma once

#include "onefold/formula/statistics.hpp"
#include "onefold/kernel/answer/ops.hpp"

namespace onefold::kernel {

// Returns whether a statistic follows from several sums by a formula.
constexpr bool is_of_terms(Statistic of) { return is_relation(of) || is_moment(of); }
// Returns whether an f64 holds every element, so that pairs are added up as f64.
template <class T>
constexpr bool f64_holds() {
  return Floating<T> || sizeof(T) <= 4;
}
// Returns how many f64 a sum over pairs has: two if answers are f64, as they are for integers.
template <class T>
constexpr int words_of_pairs() {
  return Floating<T> && sizeof(T) < 8 ? 1 : 2;
}
// Returns whether quick numbers round an op's answer. Extremes and sums of integers are exact
// without them.
template <class T, class Op>
constexpr bool is_rounded() {
  if constexpr (!has_recipe<Op>) return false;
  constexpr Statistic of = statistic_of<Op>();
  if constexpr (Floating<T>) {
    return is_sum(of) || of == Statistic::greatest_difference || is_of_terms(of);
  } else {
    return f64_holds<T>() && (of == total_of(Term::squared_difference) ||
                              of == total_of(Term::distance) || is_of_terms(of));
  }
}

// Returns whether quick numbers round one of these ops.
template <class T>
constexpr bool any_is_rounded(uint32_t ops) {
  bool any = false;
#define ONEFOLD_ENTRY(name) \
  any = any || (asks(ops, OpIndex::name##_) && is_rounded<T, op::name##_>());
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  return any;
}

// The steps that quick numbers take for these ops. On a device every element counts once.
template <class T, uint32_t ops>
constexpr QuickSteps quick_steps() {
  constexpr RoundingSteps of = steps_of<T, ops>();
  return {.times = false,
          .spread = subtracts(ops),
          .quotient = of.quotient,
          .second_quotient = of.second_quotient,
          .root = of.root};
}

// Returns the terms whose sums a formula reads, without the count n, which is known.
template <Statistic is>
constexpr Terms terms_read() {
  return formula::terms_of<is>().without(Term::one);
}
// The totals that a set of ops needs.
struct NeededTotals {
  bool sum = false;         // of floats, its error is tracked: an op answers with it or its mean
  bool spread_sum = false;  // a sum of floats that is only read together with the sum of squares
  bool pairs =
      false;  // two arrays: sum is of products; magnitudes are |x - y|, squares are (x - y)^2
  bool sumabs = false, sumsq = false, least = false, greatest = false, index = false;
  bool zeros = false, nan = false, infinite = false;
  // The terms that formulas of several sums read (for corr, skewness, ..), and the squares that
  // bound the errors of these sums.
  Terms terms = {};
  bool apart = false;   // the greatest |x - y|
  bool others = false;  // an op needs what no totals hold

  constexpr bool sums() const { return sum || spread_sum || sumabs || sumsq || !terms.empty(); }
  constexpr bool counts() const { return zeros || nan || infinite; }
};
// The neutral element that replaces an element which does not count.
//   zero      for sums: -0; of integers 0
//   lowest    for the greatest element
//   highest   for the least element
//   counted   for counts of zeros, infinities and NaN: a number that is none of them
//   none      totals of several kinds have none in common: they test each element's flag
enum class Fill : uint8_t { none, zero, lowest, highest, counted };
template <class T>
constexpr bits_of<T> bits_of_fill(Fill fill) {
  constexpr unsigned bits = 8 * sizeof(T);
  constexpr uint64_t sign = uint64_t{1} << (bits - 1), all = ~uint64_t{0} >> (64 - bits);
  uint64_t v = fill == Fill::counted;
  if constexpr (Floating<T>) {
    constexpr FloatFormat f = float_format(dtype_of<T>);
    constexpr uint64_t infinity = ((uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits;
    if (fill == Fill::zero) v = sign;
    if (fill == Fill::lowest) v = sign | infinity;
    if (fill == Fill::highest) v = infinity;
  } else {
    constexpr bool negative = kind_of(dtype_of<T>) == Kind::signed_integer;
    if (fill == Fill::lowest) v = negative ? sign : 0;
    if (fill == Fill::highest) v = dtype_of<T> == DType::boolean ? 1 : negative ? all >> 1 : all;
  }
  return static_cast<bits_of<T>>(v);
}
constexpr Fill fill_of(const NeededTotals& a) {
  if (a.pairs) return Fill::zero;
  if (a.sums() + a.counts() + a.least + a.greatest != 1) return Fill::none;
  if (a.sums()) return Fill::zero;
  if (a.counts()) return Fill::counted;
  return a.index ? Fill::none : a.least ? Fill::highest : Fill::lowest;
}

template <class T>
constexpr NeededTotals needed_totals(uint32_t ops) {
  NeededTotals a;
  const auto add_pairs = [&]<class Op>() {
    a.pairs = true;
    constexpr Statistic of = statistic_of<Op>();
    a.sum = a.sum || of == total_of(Term::xy);
    a.sumsq = a.sumsq || of == total_of(Term::squared_difference);
    a.sumabs = a.sumabs || of == total_of(Term::distance);
    if (f64_holds<T>() && is_relation(of)) {
      a.terms = a.terms | terms_read<of>() | (Term::xx | Term::yy);
    } else if (f64_holds<T>() && of == Statistic::greatest_difference) {
      a.apart = true;
    } else {
      a.others = a.others || !(f64_holds<T>() ? is_sum(of) : of == total_of(Term::xy));
    }
  };
  const auto add = [&]<class Op>() {
    if constexpr (Op::about.inputs == 2) return add_pairs.template operator()<Op>();
    if constexpr (is_moment(statistic_of<Op>()) && f64_holds<T>()) {
      a.terms = a.terms | terms_read<statistic_of<Op>()>() | (Term::xx | Term::xxxx);
      return;
    }
    constexpr Accumulators needs = Op::about.needs;
    a.index = a.index || Op::about.uses_index;
    a.least = a.least || needs.has(Accumulator::least);
    a.greatest = a.greatest || needs.has(Accumulator::greatest);
    a.zeros = a.zeros || needs.has(Accumulator::zeros);
    a.sumabs = a.sumabs || needs.has(Accumulator::sumabs);
    a.sumsq = a.sumsq || needs.has(Accumulator::sumsq);
    if (needs.has(Accumulator::sum)) {
      (needs.has(Accumulator::sumsq) && Floating<T> ? a.spread_sum : a.sum) = true;
    }
    constexpr Accumulators sums =
        Accumulator::sum | Accumulator::sumabs | Accumulators(Accumulator::sumsq);
    const bool counts = Floating<T> && needs.has(Accumulator::tally) && (needs & sums).empty();
    a.nan = a.nan || counts;
    a.infinite = a.infinite || (counts && !needs.has(Accumulator::zeros));
    constexpr Accumulators known = (sums | Accumulator::least) | Accumulator::greatest |
                                   (Accumulator::zeros | Accumulator::tally);
    // Here sums of floats have no exact words. If quick numbers do not compute an op's formula, the
    // op is answered from states.
    const bool unrounded = Floating<T> && !(needs & sums).empty() && !is_rounded<T, Op>();
    a.others = a.others || unrounded || !needs.within(known);
  };
#define ONEFOLD_ENTRY(name) \
  if (asks(ops, OpIndex::name##_)) add.template operator()<op::name##_>();
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  // Integers: the variance for 32 bits, and all squares of 64 bits, need more than 128 bits.
  const bool wide = !Floating<T> && !a.pairs && sizeof(T) >= 4 && a.sumsq;
  a.others = a.others || (wide && (sizeof(T) == 8 || a.sum)) ||
             (!Floating<T> && sizeof(T) == 8 && a.pairs);
  a.spread_sum = a.spread_sum && !a.sum;
  return a;
}
// Returns whether these ops are sums and means of floats up to 32 bits, which digits can add up.
template <class T>
constexpr bool digits_hold(uint32_t ops) {
  constexpr uint32_t sums = bit_of(OpIndex::sum_) | bit_of(OpIndex::mean_);
  return Floating<T> && sizeof(T) < 8 && ops != 0 && (ops & ~(sums | by_digits)) == 0;
}
// Returns how many 64-bit words the totals of these ops have (LaneTotals::words).
//   selects   elements may be missing, and are counted
template <class T>
constexpr int total_words_of(uint32_t ops, bool selects = false) {
  if ((ops & by_digits) != 0) return sizeof(T) == 4 ? 3 : 2;
  const NeededTotals a = needed_totals<T>(ops);
  constexpr bool floating = Floating<T>;
  // For floats: the words of a sum, and its error.
  const int sum = sizeof(T) == 8 || (a.pairs && !floating && sizeof(T) == 4) ? 2 : 1;
  constexpr int lost = floating ? 1 : 0;
  const int extreme = 1 + (a.index ? 1 : 0) + (floating && (a.index || sizeof(T) == 8) ? 1 : 0),
            of_pairs = words_of_pairs<T>();
  int words = selects ? 1 : 0;
  if (a.sum || a.spread_sum) words += sum + (a.sum ? lost : 0);
  if (a.sumabs) words += a.pairs ? of_pairs : sum + lost;
  if (a.apart) ++words;
  words += of_pairs * a.terms.count();
  if (a.sumsq) words += a.pairs ? of_pairs : floating ? sum : sizeof(T) >= 4 ? 2 : 1;
  if (a.least) words += extreme;
  if (a.greatest) words += extreme;
  return words + (a.zeros ? 1 : 0) + (a.nan ? 1 : 0) + (a.infinite ? 2 : 0);
}
// Returns how many columns a lane holds at once, if each has `words` words. Loads have 16 bytes,
// totals stay in registers (even columns: in half as many), and a lane merges at most 16 words in
// shared memory.
ONEFOLD_FN constexpr int columns_of_lane(unsigned bytes, int words, bool even) {
  int w = bytes == 1 ? 8 : static_cast<int>(16 / bytes);
  while (w > 1 && w * words > (bytes < 4 && !even ? 16 : 12)) w /= 2;
  return w;
}
// Returns how many loads a lane of rows has in flight; the next function, of how many rows.
//   masked_pairs   two arrays under a mask need more registers: with four loads of each, the loop
//                  of corr f32 would have 47 accesses to the stack
ONEFOLD_FN constexpr int loads_of_lane(bool masked_pairs) { return masked_pairs ? 2 : 4; }
ONEFOLD_FN constexpr int rows_of_lane(int words, bool masked_pairs) {
  return words > 8 ? 1 : words > 4 || masked_pairs ? 2 : 4;
}
// Returns whether totals can answer all of these ops.
template <class T, uint32_t ops>
constexpr bool has_totals() {
  return !needed_totals<T>(ops).others;
}
// Returns whether they can answer each op of a set that is known only at run time.
template <class T>
bool all_have_totals(uint32_t ops) {
  bool all = true;
#define ONEFOLD_ENTRY(name) \
  all = all && (!asks(ops, OpIndex::name##_) || has_totals<T, bit_of(OpIndex::name##_)>());
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  return all;
}

}  // namespace onefold::kernel
