// Plans folds whose elements have weights.
#pragma once

#include <string_view>
#include <vector>

#include "onefold/core/weighted.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/options.hpp"

namespace onefold {

// What a plan has in addition to its nest if elements have weights: a loop nest over four inputs.
struct Weighted {
  struct Axis {
    Size extent = 1;
    int64_t stride[4] = {};  // bytes in x, y and the weights; the mask's in its units
    int64_t step = 0;        // in answers, or (if an answer is an index) in elements
    bool folded = false;
  };
  const std::byte* data = nullptr;
  DType type = DType::f64;
  bool repeated = false;  // weights are integers that say how often elements count
  bool aligned = true;    // weights are at multiples of their size
  bool any_type = false;  // weights need not have the type of elements: those of quantiles
  int64_t mask = 0;       // the mask's first unit
  // Kept axes first, then folded ones; the fastest in memory is the last of each.
  std::vector<Axis> axes = {};
  // One for each op; empty if weights repeat elements
  std::vector<weighted::Formula> formulas = {};
  Terms terms = Term::one;
};

// Returns the ops that take Options::weights; with two arrays, the ops of two.
std::vector<std::string_view> weighted_ops(int inputs);

// Returns whether plan_weighted() plans this request. Otherwise there are no weights, or they are
// the second array of `average`.
bool is_weighted(std::string_view ops, const ArrayRef* y, const Options& options);

// Plans a fold of x, or of pairs of x and y, with Options::weights, which broadcast to x and have
// its type. The mean, and `average`, are planned as means.
//   var    sum w (x - m)^2 / sum w, m the weighted mean; std its root
//   mse    sum w (x - y)^2 / sum w; rmse its root; mae sum w |x - y| / sum w
//   cov    sum w (x - mx) (y - my) / sum w; corr, slope, intercept from such sums
//   exact  rounded once; NaN where the weights sum to 0, and for the root of a negative number
//   throws bad_option: another op, ddof; type_mismatch; shape_mismatch
Plan plan_weighted(std::string_view ops, const ArrayRef& x, const ArrayRef* y,
                   const Options& options);

// Checks Options::fweights without reading them.
//   throws  bad_option: two arrays; type_mismatch; shape_mismatch
void check_fweights(const Plan& plan, const ArrayRef& x, const ArrayRef& fweights);

// Adds weights of any type, or numbers of elements, to the plan of quantiles.
//   name    of the caller, for error messages
//   throws  shape_mismatch
void add_quantile_weights(Plan& plan, const ArrayRef& x, const ArrayRef& weights, bool repeated,
                          const Options& options, const std::string& name);

// Plans any request: with weights by plan_weighted(), if it plans that, else by make_plan(). With
// Options::fweights and arrays on a device, elements are repeated there; on the host the plan does
// not have these weights (onefold/engine/request/weights.hpp).
//   throws bad_option: .fweights of two arrays, beside .initial on a device; type_mismatch
Plan plan_any(std::string_view ops, const ArrayRef& x, const ArrayRef* y, const Options& options);

}  // namespace onefold
