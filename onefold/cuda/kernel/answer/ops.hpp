// The ops of a set, and the rounding steps that their answers need. Both are known when a kernel is
// compiled.
#pragma once

#include "onefold/core/named.hpp"
#include "onefold/core/op_concept.hpp"
#include "onefold/cuda/kernel/answer/op_set.hpp"
#include "onefold/generated/op.inl"

namespace onefold::kernel {

namespace listed {
enum class Op : int {
#define ONEFOLD_ENTRY(name) name##_,
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  end
};
inline constexpr int arrays_of[] = {
#define ONEFOLD_ENTRY(name) op::name##_::about.inputs,
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
};
// Counts the ops that read `arrays` arrays among the first `end` of the list.
constexpr int count_until(Op end, int arrays) {
  int n = 0;
  for (int k = 0; k < static_cast<int>(end); ++k) n += arrays_of[k] == arrays ? 1 : 0;
  return n;
}
constexpr int index_of(Op op) {
  const int arrays = arrays_of[static_cast<int>(op)];
  return count_until(op, arrays) + (arrays == 2 ? 64 : 0);
}
}  // namespace listed
enum class OpIndex : int {
#define ONEFOLD_ENTRY(name) name##_ = listed::index_of(listed::Op::name##_),
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
};
// Returns the op at position `place` of the list.
constexpr OpIndex index_at(int place) {
  return static_cast<OpIndex>(listed::index_of(static_cast<listed::Op>(place)));
}
static_assert(listed::count_until(listed::Op::end, 1) <= 62 &&
                  listed::count_until(listed::Op::end, 2) <= 62,
              "a set of ops has 62 bits for those of as many arrays");
// Calls one<Op>() for each op of a set, in the order of their answers.
template <OpSet ops, class One>
ONEFOLD_FN constexpr void each_op(One&& one) {
#define ONEFOLD_ENTRY(name) \
  if constexpr (asks(ops, OpIndex::name##_)) one.template operator()<op::name##_>();
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
}
// Returns whether some op of the set has a property; `has` tests an op's facts.
template <class Property>
constexpr bool any_op(OpSet ops, Property has) {
  bool any = false;
#define ONEFOLD_ENTRY(name) any = any || (asks(ops, OpIndex::name##_) && has(op::name##_::about));
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  return any;
}
// Returns whether one of the ops answers with an element's index.
constexpr bool uses_index(OpSet ops) {
  return any_op(ops, [](const OpFacts& about) { return about.uses_index; });
}
// Returns whether one of the ops needs n Q - S^2.
constexpr bool subtracts(OpSet ops) {
  return any_op(ops, [](const OpFacts& about) {
    return (Accumulator::sum | Accumulator::sumsq).within(about.needs) &&
           !about.needs.has(Accumulator::sumcube);
  });
}
template <class A, class B>
inline constexpr bool same_type = false;
template <class A>
inline constexpr bool same_type<A, A> = true;

template <class Op>
constexpr Recipe recipe_of() {
  Named many;
  many.n = Size{1} << 20;
  return recipe_for<Op>(many);
}
template <class Op>
constexpr Statistic statistic_of() {
  if constexpr (has_recipe<Op>) {
    return recipe_of<Op>().numerator.of;
  } else {
    return Statistic::nothing;
  }
}
// Returns whether one of the ops computes with long integers of one array (moment_numbers.hpp).
constexpr bool multiplies_moments(OpSet ops) {
  return any_op(ops, [](const OpFacts& about) { return about.needs.has(Accumulator::sumcube); });
}
// Returns whether one of the ops computes with long integers: moment_numbers.hpp, pair_numbers.hpp.
constexpr bool multiplies_long(OpSet ops) {
  return multiplies_moments(ops) ||
         any_op(ops, [](const OpFacts& about) { return about.needs.has(Accumulator::pairs); });
}
// Returns whether one of the ops multiplies sums, which needs canonical limbs: for n Q - S^2, or
// for long integers.
constexpr bool multiplies_sums(OpSet ops) { return subtracts(ops) || multiplies_long(ops); }
// Returns the rounding steps that `ops` declare for T.
template <class T, OpSet ops>
constexpr RoundingSteps steps_of() {
  RoundingSteps steps = as_total;
  steps.integers = false;
  each_op<ops>([&]<class Op>() {
    constexpr const OpFacts& about = Op::about;
    steps.quotient = steps.quotient || about.steps.quotient;
    steps.second_quotient = steps.second_quotient || about.steps.second_quotient;
    steps.root = steps.root || about.steps.root;
    steps.integers = steps.integers || !is_floating(about.result.of(dtype_of<T>));
  });
  return steps;
}
// Returns whether all answers are plain totals: no quotients, no roots.
template <class T, OpSet ops>
constexpr bool is_plain() {
  constexpr RoundingSteps steps = steps_of<T, ops>();
  return !steps.quotient && !steps.root;
}

}  // namespace onefold::kernel
