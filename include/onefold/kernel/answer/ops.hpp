// A set of ops as bits, and what rounding their answers takes, known when a kernel is compiled.
#pragma once

#include "onefold/generated/op.inl"
#include "onefold/op_concept.hpp"

namespace onefold::kernel {

// Bit k: the k-th op of generated/op.list.
enum class OpIndex : int {
#define ONEFOLD_ENTRY(name) name##_,
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
};
inline constexpr int op_count = 0
#define ONEFOLD_ENTRY(name) +1
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
    ;
static_assert(op_count <= 32, "a set of ops is a uint32_t");
constexpr bool asks(uint32_t ops, OpIndex op) { return (ops >> static_cast<int>(op) & 1) != 0; }
// Whether an op of these answers with the place of an element.
constexpr bool uses_index(uint32_t ops) {
  bool any = false;
#define ONEFOLD_ENTRY(name) \
  any = any || (asks(ops, OpIndex::name##_) && op::name##_::about.uses_index);
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  return any;
}
// Whether an op of these needs n Q - S^2.
constexpr bool subtracts(uint32_t ops) {
  constexpr Accumulators both = Accumulator::sum | Accumulator::sumsq;
  bool any = false;
#define ONEFOLD_ENTRY(name) \
  any = any || (asks(ops, OpIndex::name##_) && both.within(op::name##_::about.needs));
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  return any;
}
constexpr int count_ops(uint32_t ops) {
  int n = 0;
  for (; ops != 0; ops &= ops - 1) ++n;
  return n;
}

inline constexpr uint32_t all_ops = ~0u >> (32 - op_count);

// What rounding the answers to `ops` of T takes: what the ops declare.
template <class T, uint32_t ops>
constexpr RoundingSteps steps_of() {
  RoundingSteps steps = as_total;
  steps.integers = false;
#define ONEFOLD_ENTRY(name)                                                        \
  if constexpr (asks(ops, OpIndex::name##_)) {                                     \
    constexpr const OpFacts& about = op::name##_::about;                           \
    steps.quotient = steps.quotient || about.steps.quotient;                       \
    steps.second_quotient = steps.second_quotient || about.steps.second_quotient;  \
    steps.root = steps.root || about.steps.root;                                   \
    steps.integers = steps.integers || !is_floating(about.result.of(dtype_of<T>)); \
  }
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  return steps;
}
// Whether the answers are no quotients and no roots.
template <class T, uint32_t ops>
constexpr bool is_plain() {
  constexpr RoundingSteps steps = steps_of<T, ops>();
  return !steps.quotient && !steps.root;
}

}  // namespace onefold::kernel
