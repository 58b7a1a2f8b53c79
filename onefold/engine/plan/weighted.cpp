#include "onefold/engine/plan/weighted.hpp"

#include <algorithm>

#include "onefold/core/named.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/op_list.hpp"
#include "onefold/error.hpp"

namespace onefold {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::bad_option, message);
}

bool is_mean(std::string_view op) { return op == "mean" || op == "average"; }

weighted::Formula formula_of(const OpRow& op, bool repeated) {
  if (op.recipe == nullptr) return {};
  Named several;
  several.n = 1000;
  return weighted::formula_of(op.recipe(several), repeated);
}

std::string list_of(int inputs) {
  std::string text;
  for (const std::string_view op : weighted_ops(inputs))
    text += (text.empty() ? "" : ", ") + std::string(op);
  return text;
}

// The ops, with the mean in the place of `average`.
std::vector<const OpRow*> ops_of(std::string_view names, const ArrayRef* y) {
  std::vector<const OpRow*> ops = parse_ops(names);
  for (const OpRow*& op : ops) {
    if (y == nullptr && is_mean(op->name)) op = &find_op("mean");
  }
  return ops;
}

// Refuses options that cannot be combined with weights.
void check(std::string_view names, const ArrayRef& x, const ArrayRef* y, const Options& options) {
  const std::string where(names);
  const int inputs = y == nullptr ? 1 : 2;
  if (options.fweights)
    refuse(where + ": both .weights and .fweights were given; leave one of them out");
  for (const OpRow* op : parse_ops(names)) {
    const bool fits = op->about->inputs == inputs || (inputs == 1 && is_mean(op->name));
    const std::vector<std::string_view> all = weighted_ops(inputs);
    if (fits && std::ranges::find(all, op->name) != all.end()) continue;
    refuse(std::string(op->name) + ": .weights applies only to " + list_of(1) + ", and to " +
           list_of(2) + " of two arrays; for other ops pass .fweights to repeat elements");
  }
  if (options.ddof != Correction()) {
    refuse(where +
           ": ddof cannot be used with .weights because they are not counts of elements; leave "
           "ddof out, or (for arrays) pass .fweights instead");
  }
  if (options.initial)
    refuse(where +
           ": .initial cannot be used with .weights because it has no weight; leave it out");
  check_array(*options.weights, where + ": the weights");
  if (options.weights->dtype != x.dtype) {
    throw Error(ErrorCode::type_mismatch,
                where + ": the array is " + name_of(x.dtype) + " and the weights " +
                    name_of(options.weights->dtype) + "; they must be of one type");
  }
}

// Joins an axis with the next faster one, where all strides and steps continue.
bool is_joined(Weighted::Axis& slow, const Weighted::Axis& fast) {
  const auto extent = static_cast<int64_t>(fast.extent);
  for (int k = 0; k < 4; ++k) {
    if (slow.stride[k] != fast.stride[k] * extent) return false;
  }
  if (slow.folded != fast.folded || slow.step != fast.step * extent) return false;
  const Size joined = slow.extent * fast.extent;
  slow = fast;
  slow.extent = joined;
  return true;
}

std::vector<Weighted::Axis> axes_of(const Plan& plan, const ArrayRef& x, const ArrayRef* y,
                                    const Dims& w, const Dims* mask,
                                    const std::vector<bool>& fold) {
  std::vector<Weighted::Axis> axes;
  int64_t answers = 1, elements = 1;
  for (int d = x.shape.rank(); d-- > 0;) {
    const bool folded = fold[static_cast<std::size_t>(d)];
    Weighted::Axis a{.extent = static_cast<Size>(x.shape[d]),
                     .stride = {x.strides[d], y == nullptr ? 0 : y->strides[d], w[d],
                                mask == nullptr ? 0 : (*mask)[d]},
                     .step = !folded        ? answers
                             : plan.indexed ? elements
                                            : 0,
                     .folded = folded};
    (folded ? elements : answers) *= x.shape[d];
    if (a.extent != 1) axes.insert(axes.begin(), a);
  }
  if (plan.elements == 0 || plan.answers == 0) return axes;
  // Kept axes first; among them, and among folded ones, the fastest in memory last. (The order of
  // additions does not matter.)
  const auto reach = [](int64_t stride) { return stride < 0 ? -stride : stride; };
  std::ranges::stable_sort(axes, [&](const Weighted::Axis& a, const Weighted::Axis& b) {
    if (a.folded != b.folded) return b.folded;
    return reach(a.stride[0]) > reach(b.stride[0]);
  });
  std::vector<Weighted::Axis> joined;
  for (const Weighted::Axis& a : axes) {
    if (joined.empty() || !is_joined(joined.back(), a)) joined.push_back(a);
  }
  return joined;
}

}  // namespace

std::vector<std::string_view> weighted_ops(int inputs) {
  std::vector<std::string_view> ops;
  if (inputs == 1) ops.push_back("average");
  for (const OpRow& op : op_rows()) {
    const Statistic of = formula_of(op, false).of;
    if (op.about->inputs == inputs && of != Statistic::nothing) ops.push_back(op.name);
  }
  return ops;
}

bool is_weighted(std::string_view ops, const ArrayRef* y, const Options& options) {
  return options.weights.has_value() && (y != nullptr || !is_mean(ops));
}

namespace {

// Adds weights to a plan.
void add_weights(Plan& plan, const ArrayRef& x, const ArrayRef* y, const ArrayRef& given,
                 bool repeated, const Options& options, const std::string& where,
                 bool any_type = false) {
  Weighted weights{.data = static_cast<const std::byte*>(given.data),
                   .type = given.dtype,
                   .repeated = repeated,
                   .aligned = is_aligned(given),
                   .any_type = any_type};
  const Dims w = broadcast_strides(x, given, "the weights", where);
  for (const OpRow* op : plan.ops) {
    if (repeated || any_type) break;
    weights.formulas.push_back(formula_of(*op, false));
    weights.terms = weights.terms | weighted::terms_of(weights.formulas.back());
  }
  Dims mask;
  if (options.where) {
    mask = mask_strides(x, *options.where, where);
    weights.mask = static_cast<int64_t>(options.where->first);
  }
  weights.axes = axes_of(plan, x, y, w, options.where ? &mask : nullptr,
                         folded_axes(options.axes, x.shape.rank(), {}, where));
  plan.weighted = std::make_shared<const Weighted>(std::move(weights));
}

// Plans a fold whose elements a device repeats, as the weights say.
void repeat_elements(Plan& plan, const ArrayRef& x, const Options& options) {
  const std::string where = names_of(plan.ops);
  check_fweights(plan, x, *options.fweights);
  if (options.initial) {
    refuse(where + ": .initial with .fweights needs arrays on the host");
  }
  add_weights(plan, x, nullptr, *options.fweights, true, options, where);
}

}  // namespace

void add_quantile_weights(Plan& plan, const ArrayRef& x, const ArrayRef& weights, bool repeated,
                          const Options& options, const std::string& name) {
  add_weights(plan, x, nullptr, weights, repeated, options, name, true);
}

void check_fweights(const Plan& plan, const ArrayRef& x, const ArrayRef& fweights) {
  const std::string where = names_of(plan.ops);
  if (plan.inputs != 1) refuse(where + ": .fweights need an op of one array");
  check_array(fweights, where + ": the weights");
  if (!is_integer(fweights.dtype)) {
    throw Error(ErrorCode::type_mismatch,
                where + ": .fweights are " + name_of(fweights.dtype) +
                    "; they count how often each element occurs, so they must be integers");
  }
  broadcast_strides(x, fweights, "the weights", where);
}

Plan plan_weighted(std::string_view names, const ArrayRef& x, const ArrayRef* y,
                   const Options& options) {
  check(names, x, y, options);
  const std::string where(names);
  Options own = options;
  own.weights.reset();
  Plan plan = make_plan(ops_of(names, y), x, y, own);
  add_weights(plan, x, y, *options.weights, false, options, where);
  return plan;
}

Plan plan_any(std::string_view ops, const ArrayRef& x, const ArrayRef* y, const Options& options) {
  if (is_weighted(ops, y, options)) return plan_weighted(ops, x, y, options);
  const bool mean = options.weights && y == nullptr && is_mean(ops);
  Plan plan = make_plan(mean ? std::string_view("average") : ops, x, y, options);
  if (options.fweights && plan.device.type == Device::Type::cuda) repeat_elements(plan, x, options);
  return plan;
}

}  // namespace onefold
