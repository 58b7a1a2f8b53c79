// The formulas of a kernel's ops for elements with weights, known when it is compiled.
#pragma once

#include "onefold/core/weighted.hpp"
#include "onefold/cuda/kernel/answer/ops.hpp"

namespace onefold::kernel {

template <class Op>
constexpr weighted::Formula weighted_formula(bool repeated) {
  if constexpr (has_recipe<Op>) return weighted::formula_of(recipe_of<Op>(), repeated);
  return {};
}
// Returns the terms whose sums the formulas need. Repeated elements are counted exactly instead of
// summing their weights.
template <OpSet ops>
constexpr Terms weighted_terms(bool repeated) {
  Terms terms = repeated ? Terms() : Terms(Term::one);
  each_op<ops>(
      [&]<class Op>() { terms = terms | weighted::terms_of(weighted_formula<Op>(repeated)); });
  return terms;
}

}  // namespace onefold::kernel
