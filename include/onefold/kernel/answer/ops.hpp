// A set of ops as bits, and what rounding their answers takes, known when a kernel is compiled.
#pragma once

#include "onefold/formula.hpp"
#include "onefold/generated/op.inl"

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

// Numbers, so many that a quotient of them takes every step that it may take.
struct Many {
  NanPolicy nan = NanPolicy::propagate;
  Correction correction;

  ONEFOLD_FN constexpr Tally tally() const { return {.n = Size{1} << 62}; }
  ONEFOLD_FN constexpr Tally dot_tally() const { return tally(); }
  ONEFOLD_FN constexpr ExactSum limbs(Accumulator) const { return {}; }
  ONEFOLD_FN constexpr Leading spread(uint32_t) const { return {}; }
  ONEFOLD_FN constexpr Size counted(Accumulator) const { return 0; }
  ONEFOLD_FN constexpr Extreme extreme(Accumulator) const { return {.value = {}, .index = 0}; }
};
// What rounding the answers to `ops` of T takes. G: Many, by a name that depends on the template,
// or the formulas of all ops are looked at.
template <class T, uint32_t ops, class G = Many>
constexpr RoundingSteps steps_of() {
  RoundingSteps steps{
      .quotient = false, .second_quotient = false, .root = false, .integers = false};
  const auto add = [&](const Real& r, const OpFacts& about) {
    steps.quotient = steps.quotient || r.n != 1 || r.left != 1;
    steps.second_quotient = steps.second_quotient || r.left != 1;
    steps.root = steps.root || r.root;
    steps.integers = steps.integers || !is_floating(about.result.of(dtype_of<T>));
  };
#define ONEFOLD_ENTRY(name)                            \
  if constexpr (asks(ops, OpIndex::name##_)) {         \
    add(op::name##_::finish(G{}), op::name##_::about); \
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
