// Says which totals a set of ops needs for an answer; known when a kernel is compiled.
#pragma once

#include "onefold/formula/statistics.hpp"
#include "onefold/kernel/answer/ops.hpp"

namespace onefold::kernel {

// Whether a formula of several sums gives it.
constexpr bool is_of_terms(Statistic of) { return is_relation(of) || is_moment(of); }
// Whether every element is an f64, so that pairs of them are added up as such.
template <class T>
constexpr bool f64_holds() {
  return Floating<T> || sizeof(T) <= 4;
}
// The words of f64 that a sum of pairs has: answers to integers are f64.
template <class T>
constexpr int words_of_pairs() {
  return Floating<T> && sizeof(T) < 8 ? 1 : 2;
}
// Whether it is rounded by quick numbers, from sums or differences; extremes and sums of integers
// are exact.
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

// The terms whose sums a formula reads; n is known.
template <Statistic is>
constexpr Terms terms_read() {
  return formula::terms_of<is>().without(Term::one);
}
struct Asked {
  bool sum = false;     // an op answers with it: its ties are decided
  bool moment = false;  // a sum that is used with squares
  bool pairs =
      false;  // two arrays: sum is of products; magnitudes are |x - y|, squares are (x - y)^2
  bool sumabs = false, sumsq = false, least = false, greatest = false, index = false;
  bool zeros = false, nan = false, infinite = false;
  // What formulas of several sums read: relations of two arrays, moments of one, with the squares
  // that bound errors.
  Terms terms = {};
  bool apart = false;   // the greatest |x - y|
  bool others = false;  // something that no totals hold

  constexpr bool sums() const { return sum || moment || sumabs || sumsq || !terms.empty(); }
  constexpr bool counts() const { return zeros || nan || infinite; }
};
// An element that some totals do not notice; it takes the place of one that does not count.
//   zero      sums: -0; integers 0
//   lowest    the greatest element
//   highest   the least one
//   counted   counts of zeros, infinities and NaN: it is none of them
//   none      totals of several kinds ask for each element whether it counts
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
constexpr Fill fill_of(const Asked& a) {
  if (a.pairs) return Fill::zero;
  if (a.sums() + a.counts() + a.least + a.greatest != 1) return Fill::none;
  if (a.sums()) return Fill::zero;
  if (a.counts()) return Fill::counted;
  return a.index ? Fill::none : a.least ? Fill::highest : Fill::lowest;
}

template <class T>
constexpr Asked asked_of(uint32_t ops) {
  Asked a;
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
      (needs.has(Accumulator::sumsq) && Floating<T> ? a.moment : a.sum) = true;
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
  // Squares of 32 bits that are subtracted, and all of 64, have no words of 128 bits.
  const bool wide = !Floating<T> && !a.pairs && sizeof(T) >= 4 && a.sumsq;
  a.others = a.others || (wide && (sizeof(T) == 8 || a.sum)) ||
             (!Floating<T> && sizeof(T) == 8 && a.pairs);
  a.moment = a.moment && !a.sum;
  return a;
}
// Returns whether these ops are sums and means of floats up to 32 bits, which digits can add up.
template <class T>
constexpr bool digits_hold(uint32_t ops) {
  constexpr uint32_t sums = bit_of(OpIndex::sum_) | bit_of(OpIndex::mean_);
  return Floating<T> && sizeof(T) < 8 && ops != 0 && (ops & ~(sums | by_digits)) == 0;
}
// Returns how many 64-bit words the totals of these ops have (Totals::words).
//   selects   elements may be missing, and are counted
template <class T>
constexpr int total_words_of(uint32_t ops, bool selects = false) {
  if ((ops & by_digits) != 0) return sizeof(T) == 4 ? 3 : 2;
  const Asked a = asked_of<T>(ops);
  constexpr bool floating = Floating<T>;
  // For floats: the words of a sum, and its error.
  const int sum = sizeof(T) == 8 || (a.pairs && !floating && sizeof(T) == 4) ? 2 : 1;
  constexpr int lost = floating ? 1 : 0;
  const int extreme = 1 + (a.index ? 1 : 0) + (floating && (a.index || sizeof(T) == 8) ? 1 : 0),
            of_pairs = words_of_pairs<T>();
  int words = selects ? 1 : 0;
  if (a.sum || a.moment) words += sum + (a.sum ? lost : 0);
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
// Loads that a lane of rows has under way, and of how many rows at once.
//   masked_pairs   two arrays under a mask need more registers: with four loads of each, the loop
//                  of corr f32 would have 47 accesses to the stack
ONEFOLD_FN constexpr int loads_of_lane(bool masked_pairs) { return masked_pairs ? 2 : 4; }
ONEFOLD_FN constexpr int rows_of_lane(int words, bool masked_pairs) {
  return words > 8 ? 1 : words > 4 || masked_pairs ? 2 : 4;
}
// Whether totals answer these ops.
template <class T, uint32_t ops>
constexpr bool has_totals() {
  return !asked_of<T>(ops).others;
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
