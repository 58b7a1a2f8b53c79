// What ops ask of the totals of an answer, known when a kernel is compiled.
#pragma once

#include "onefold/generated/op.inl"
#include "onefold/kernel/answer/ops.hpp"
#include "onefold/named.hpp"

namespace onefold::kernel {

template <class A, class B>
inline constexpr bool same_type = false;
template <class A>
inline constexpr bool same_type<A, A> = true;

// Whether an op says by name what it makes of its totals (recipe.hpp).
template <class Op>
constexpr bool is_named() {
  return same_type<decltype(Op::finish(Named{})), Recipe>;
}
template <class Op>
constexpr Recipe recipe_of() {
  Named many;
  many.n = Size{1} << 20;
  return Op::finish(many);
}
// Whether it is rounded from a sum by quick numbers; extremes and sums of integers are exact.
template <class T, class Op>
constexpr bool is_rounded() {
  if constexpr (Floating<T> && is_named<Op>()) {
    constexpr Recipe::Name name = recipe_of<Op>().numerator.name;
    return name == Recipe::Name::sum || name == Recipe::Name::sumabs ||
           name == Recipe::Name::sumsq || name == Recipe::Name::spread || name == Recipe::Name::dot;
  } else {
    return false;
  }
}

// Whether some of these ops are.
template <class T, uint32_t ops>
constexpr bool has_rounded() {
  bool any = false;
#define ONEFOLD_ENTRY(name) \
  if constexpr (asks(ops, OpIndex::name##_)) any = any || is_rounded<T, op::name##_>();
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  return any;
}

// What quick numbers do for these ops. On a device elements count once.
template <class T, uint32_t ops>
constexpr QuickSteps quick_steps() {
  constexpr RoundingSteps of = steps_of<T, ops>();
  return {.times = false,
          .spread = subtracts(ops),
          .quotient = of.quotient,
          .second_quotient = of.second_quotient,
          .root = of.root};
}

struct Asked {
  bool sum = false;     // for its own sake: then its ties are decided
  bool moment = false;  // beside squares
  bool pairs = false;   // the sum is of two arrays' products
  bool sumabs = false, sumsq = false, least = false, greatest = false, index = false;
  bool zeros = false, nan = false, infinite = false;
  bool others = false;  // no totals have it
};
template <class T>
constexpr Asked asked_of(uint32_t ops) {
  Asked a;
  const auto add = [&]<class Op>() {
    constexpr Accumulators needs = Op::about.needs;
    a.index = a.index || Op::about.uses_index;
    a.least = a.least || needs.has(Accumulator::least);
    a.greatest = a.greatest || needs.has(Accumulator::greatest);
    a.zeros = a.zeros || needs.has(Accumulator::zeros);
    a.sumabs = a.sumabs || needs.has(Accumulator::sumabs);
    a.sumsq = a.sumsq || needs.has(Accumulator::sumsq);
    a.pairs = a.pairs || needs.has(Accumulator::dot);
    if (needs.has(Accumulator::sum)) {
      (needs.has(Accumulator::sumsq) && Floating<T> ? a.moment : a.sum) = true;
    }
    constexpr Accumulators sums =
        Accumulator::sum | Accumulator::sumabs | Accumulators(Accumulator::sumsq);
    if (needs.has(Accumulator::dot)) a.sum = true;
    const bool counts = Floating<T> && needs.has(Accumulator::tally) && (needs & sums).empty();
    a.nan = a.nan || counts;
    a.infinite = a.infinite || (counts && !needs.has(Accumulator::zeros));
    constexpr Accumulators known = (sums | Accumulator::least) | Accumulator::greatest |
                                   (Accumulator::zeros | Accumulator::tally) | Accumulator::dot;
    a.others = a.others || !needs.within(known);
  };
#define ONEFOLD_ENTRY(name) \
  if (asks(ops, OpIndex::name##_)) add.template operator()<op::name##_>();
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  // Squares of 32 bits that are subtracted, and all of 64, have no words of 128 bits.
  const bool wide = !Floating<T> && sizeof(T) >= 4 && a.sumsq;
  a.others = a.others || (wide && (sizeof(T) == 8 || a.sum)) ||
             (!Floating<T> && sizeof(T) == 8 && a.pairs);
  a.moment = a.moment && !a.sum;
  return a;
}
// Words of 64 bits that their totals have (Totals::words).
//   selects   elements may be missing, and are counted
template <class T>
constexpr int total_words_of(uint32_t ops, bool selects = false) {
  const Asked a = asked_of<T>(ops);
  constexpr bool floating = Floating<T>;
  // Of floats the words of a sum, and beside them what was lost.
  const int sum = sizeof(T) == 8 || (a.pairs && !floating && sizeof(T) == 4) ? 2 : 1;
  constexpr int lost = floating ? 1 : 0;
  const int extreme = 1 + (a.index ? 1 : 0) + (floating ? 1 : 0);
  int words = selects ? 1 : 0;
  if (a.sum || a.moment) words += sum + (a.sum ? lost : 0);
  if (a.sumabs) words += sum + lost;
  if (a.sumsq) words += floating ? sum : sizeof(T) >= 4 ? 2 : 1;
  if (a.least) words += extreme;
  if (a.greatest) words += extreme;
  return words + (a.zeros ? 1 : 0) + (a.nan ? 1 : 0) + (a.infinite ? 2 : 0);
}
// Columns that a lane holds at once, of so many words: loads of 16 bytes, totals that stay in
// registers, and at most 12 words of a lane meet in shared memory.
ONEFOLD_FN constexpr int columns_of_lane(unsigned bytes, int words) {
  return words > 6 ? 1 : words > 3 || bytes == 8 ? 2 : 4;
}
// Even columns that a load takes, and loads of a lane side by side: totals stay in registers.
ONEFOLD_FN constexpr int even_columns_of_load(unsigned bytes) {
  return bytes < 4 ? static_cast<int>(4 / bytes) : 1;
}
ONEFOLD_FN constexpr int even_column_loads(unsigned bytes, int words) {
  return words > 6 ? 1 : bytes == 8 || bytes == 1 || words > 2 ? 2 : 4;
}
// Loads that a lane of even rows or columns has under way, and of how many even rows at once.
inline constexpr int loads_of_lane = 4;
ONEFOLD_FN constexpr int rows_of_lane(int words) { return words > 8 ? 1 : words > 4 ? 2 : 4; }
// Rows that a lane has a part of at once.
ONEFOLD_FN constexpr int streams_of_lane(int words) { return words > 4 ? 1 : 4; }
// Whether totals answer these ops.
template <class T, uint32_t ops>
constexpr bool has_totals() {
  return !asked_of<T>(ops).others;
}

}  // namespace onefold::kernel
