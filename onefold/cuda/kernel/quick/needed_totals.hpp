// Says which totals a set of ops needs for an answer; known when a kernel is compiled.
#pragma once

#include "onefold/core/formula/statistics.hpp"
#include "onefold/cuda/kernel/answer/ops.hpp"

namespace onefold::kernel {

// Returns whether a statistic follows from several sums by a formula.
constexpr bool is_of_terms(Statistic of) { return is_relation(of) || is_moment(of); }
// Returns whether an f64 holds every element, so that pairs are added up as f64.
template <class T>
constexpr bool f64_holds() {
  return Floating<T> || sizeof(T) <= 4;
}
// Returns how many f64 a sum has: two if answers are f64, as they are for integers.
template <class T>
constexpr int words_of_sum() {
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
constexpr bool any_is_rounded(OpSet ops) {
  bool any = false;
#define ONEFOLD_ENTRY(name) \
  any = any || (asks(ops, OpIndex::name##_) && is_rounded<T, op::name##_>());
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  return any;
}

// The steps that quick numbers take for these ops. On a device every element counts once, and the
// formulas of formula/statistics.inl compute spreads.
template <class T, OpSet ops>
constexpr QuickSteps quick_steps() {
  constexpr RoundingSteps of = steps_of<T, ops>();
  return {.times = false,
          .spread = false,
          .quotient = of.quotient,
          .second_quotient = of.second_quotient,
          .root = of.root};
}

// Returns the terms whose sums a formula reads, without the count n, which is known.
template <Statistic is>
constexpr Terms terms_read() {
  return formula::terms_of<is>().without(Term::one);
}
// Returns the terms whose totals alone are answers, or have one divided or its root taken.
template <class T, OpSet ops>
constexpr Terms terms_answered() {
  Terms terms;
  each_op<ops>([&]<class Op>() {
    constexpr Statistic of = statistic_of<Op>();
    if (is_rounded<T, Op>() && is_total(of)) terms = terms | term_of(of);
  });
  return terms;
}

// The totals that a set of ops needs.
struct NeededTotals {
  bool pairs = false;  // two arrays
  // Sums as f64. Tracked: an op answers with the sum, or its mean, and no other sum bounds its
  // error. Bounded: sums of squares, and those that are read together with them. Formula: the terms
  // that formulas of several sums read (for corr, skewness, ..), and the squares that bound these.
  Terms tracked = {}, bounded = {}, formula = {};
  Terms whole = {};  // sums of integers, and the number of zeros
  bool least = false, greatest = false, index = false, nan = false, infinite = false;
  bool apart = false;   // the greatest |x - y|
  bool others = false;  // an op needs what no totals hold

  constexpr Terms floats() const { return tracked | bounded | formula; }
  constexpr Terms integers() const { return whole.without(Term::zero); }
  constexpr bool zeros() const { return whole.has(Term::zero); }
  constexpr bool sums() const { return !(floats() | integers()).empty(); }
  constexpr bool counts() const { return zeros() || nan || infinite; }
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
    constexpr uint64_t infinity = f.infinity();
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

// Returns the accumulator whose total a term's is. Only for terms of lanes that have one.
constexpr Accumulator accumulator_of(Term t) {
  switch (t) {
    case Term::magnitude:
      return Accumulator::sumabs;
    case Term::xx:
      return Accumulator::sumsq;
    case Term::xy:
      return Accumulator::dot;
    case Term::zero:
      return Accumulator::zeros;
    default:
      return Accumulator::sum;
  }
}
// Adds what an op of one array needs.
template <class T, class Op>
constexpr void add_needed(NeededTotals& a) {
  constexpr Statistic of = statistic_of<Op>();
  if (is_moment(of) && f64_holds<T>()) {
    a.formula = a.formula | terms_read<of>() | (Term::xx | Term::xxxx);
    return;
  }
  constexpr Accumulators needs = Op::about.needs;
  a.index = a.index || Op::about.uses_index;
  a.least = a.least || needs.has(Accumulator::least);
  a.greatest = a.greatest || needs.has(Accumulator::greatest);
  const auto add = [&](Terms& to, Term t) {
    if (needs.has(accumulator_of(t))) to = to | t;
  };
  const bool spread = needs.has(Accumulator::sumsq);
  add(a.whole, Term::zero);
  add(Floating<T> ? spread ? a.bounded : a.tracked : a.whole, Term::x);
  add(Floating<T> ? a.tracked : a.whole, Term::magnitude);
  add(Floating<T> ? a.bounded : a.whole, Term::xx);
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
}
// The same for an op of two arrays.
template <class T, class Op>
constexpr void add_needed_of_pairs(NeededTotals& a) {
  constexpr Statistic of = statistic_of<Op>();
  a.pairs = true;
  if (of == total_of(Term::xy)) {
    (Floating<T> ? a.tracked : a.whole) = Term::xy;
    a.others = a.others || (!Floating<T> && sizeof(T) == 8);
  } else if (!f64_holds<T>()) {
    a.others = true;
  } else if (is_relation(of)) {
    a.formula = a.formula | terms_read<of>() | (Term::xx | Term::yy);
  } else if (of == Statistic::greatest_difference) {
    a.apart = true;
  } else if (is_total(of)) {
    a.bounded = a.bounded | term_of(of);
  } else {
    a.others = true;
  }
}
template <class T>
constexpr NeededTotals needed_totals(OpSet ops) {
  NeededTotals a;
  const auto add = [&]<class Op>() {
    if constexpr (Op::about.inputs == 2) {
      add_needed_of_pairs<T, Op>(a);
    } else {
      add_needed<T, Op>(a);
    }
  };
#define ONEFOLD_ENTRY(name) \
  if (asks(ops, OpIndex::name##_)) add.template operator()<op::name##_>();
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  // Integers: the variance for 32 bits, and all squares of 64 bits, need more than 128 bits.
  a.others = a.others ||
             (sizeof(T) >= 4 && a.whole.has(Term::xx) && (sizeof(T) == 8 || a.whole.has(Term::x)));
  return a;
}
// Whether sums of integers have 128 bits.
template <class T>
constexpr bool sums_are_wide(Terms whole) {
  return sizeof(T) == 8 || (sizeof(T) == 4 && (whole.has(Term::xx) || whole.has(Term::xy)));
}
// Returns whether these ops are sums and means of floats up to 32 bits, which digits can add up.
template <class T>
constexpr bool digits_hold(OpSet ops) {
  constexpr OpSet sums = bit_of(OpIndex::sum_) | bit_of(OpIndex::mean_);
  return Floating<T> && sizeof(T) < 8 && ops != 0 && (ops & ~(sums | by_digits)) == 0;
}
// Returns how many 64-bit words the totals of these ops have (LaneTotals::words).
//   selects   elements may be missing, and are counted
template <class T>
constexpr int total_words_of(OpSet ops, bool selects = false) {
  if ((ops & by_digits) != 0) return sizeof(T) == 4 ? 3 : 2;
  const NeededTotals a = needed_totals<T>(ops);
  const bool keyed = Floating<T> && (a.index || sizeof(T) == 8);
  const int extreme = 1 + (a.index ? 1 : 0) + (keyed ? 1 : 0),
            whole = sums_are_wide<T>(a.whole) ? 2 : 1;
  return (selects ? 1 : 0) + words_of_sum<T>() * a.floats().count() + a.tracked.count() +
         whole * a.integers().count() + (a.zeros() ? 1 : 0) + (a.apart ? 1 : 0) +
         extreme * ((a.least ? 1 : 0) + (a.greatest ? 1 : 0)) + (a.nan ? 1 : 0) +
         (a.infinite ? 2 : 0);
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
template <class T, OpSet ops>
constexpr bool has_totals() {
  return !needed_totals<T>(ops).others;
}
// Returns whether they can answer each op of a set that is known only at run time.
template <class T>
bool all_have_totals(OpSet ops) {
  bool all = true;
#define ONEFOLD_ENTRY(name) \
  all = all && (!asks(ops, OpIndex::name##_) || has_totals<T, bit_of(OpIndex::name##_)>());
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  return all;
}

}  // namespace onefold::kernel
