#include "onefold/engine/plan/plan.hpp"

#include <algorithm>
#include <charconv>

#include "onefold/core/gathered.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/device.hpp"
#include "onefold/error.hpp"
#include "onefold/system/floating_point.hpp"

namespace onefold {
namespace {

// The loop nest of an array; an empty one if there are no elements or answers.
Nest nest_of(const ArrayRef& x, const ArrayRef* y, const Dims* mask, const std::vector<bool>& fold,
             const Plan& plan) {
  Nest nest{.bytes = bytes_of(x.dtype)};
  if (plan.elements == 0 || plan.answers == 0) {
    const auto bytes = static_cast<int64_t>(nest.bytes);
    if (plan.answers != 1) nest.axes.push_back({plan.answers, {0, 0}, 1, false});
    nest.axes.push_back({plan.elements, {bytes, bytes}, plan.indexed, true});
    return nest;
  }
  const int rank = x.shape.rank();
  nest.axes.resize(fold.size());
  Size answers = 1, elements = 1;
  for (int d = rank; d-- > 0;) {
    const bool folded = fold[static_cast<std::size_t>(d)];
    const auto extent = static_cast<Size>(x.shape[d]);
    const int64_t stride_y = y == nullptr ? x.strides[d] : y->strides[d];
    Size& count = folded ? elements : answers;
    nest.axes[static_cast<std::size_t>(d)] = {
        .extent = extent,
        .stride = {x.strides[d], stride_y, mask == nullptr ? 0 : (*mask)[d]},
        .step = folded && !plan.indexed ? 0 : static_cast<int64_t>(count),
        .folded = folded};
    count *= extent;
  }
  make_plain(nest);
  return nest;
}

void check_arrays(std::span<const OpRow* const> ops, const ArrayRef& x, const ArrayRef* y,
                  const std::string& where) {
  check_array(x, where);
  const int inputs = y == nullptr ? 1 : 2;
  for (const OpRow* op : ops) {
    if (op->about->inputs == inputs) continue;
    throw Error(ErrorCode::bad_option,
                std::string(op->name) + (inputs == 2 ? " takes one array, but two were given"
                                                     : " takes two arrays, but one was given"));
  }
  if (y == nullptr) return;
  check_array(*y, where);
  if (y->shape != x.shape) {
    throw Error(ErrorCode::shape_mismatch, where + ": the arrays have shapes " +
                                               to_string(x.shape) + " and " + to_string(y->shape) +
                                               "; they must agree");
  }
  if (y->dtype != x.dtype) {
    throw Error(ErrorCode::type_mismatch, where + ": the arrays are " + name_of(x.dtype) + " and " +
                                              name_of(y->dtype) + "; convert one of them");
  }
}

void check_options(const Options& options, const ArrayRef* y, const std::string& where) {
  check_number("NaN policy", "NanPolicy", static_cast<int>(options.nan), 3, where);
  check_number("device type", "Device::Type", static_cast<int>(options.device.type), 3, where);
  if (options.weights && y != nullptr) {
    throw Error(ErrorCode::bad_option,
                where + ": .weights cannot be combined with a second array; for average, " +
                    "pass the weights as the second array");
  }
  if (options.threads < 0) {
    throw Error(ErrorCode::bad_option,
                where + ": " + std::to_string(options.threads) +
                    " threads were requested; pass 1 or more, or 0 for one per core");
  }
}

}  // namespace

bool is_aligned(const ArrayRef& x) {
  const auto bytes = static_cast<int64_t>(bytes_of(x.dtype));
  if (reinterpret_cast<uintptr_t>(x.data) % static_cast<uintptr_t>(bytes) != 0) return false;
  return std::all_of(x.strides.begin(), x.strides.end(),
                     [&](int64_t stride) { return stride % bytes == 0; });
}

std::vector<bool> folded_axes(const Axes& axes, int rank, const std::string& array,
                              const std::string& where) {
  std::vector<bool> fold(static_cast<std::size_t>(rank), axes.all());
  if (axes.list().rank() > max_rank) {
    throw Error(ErrorCode::bad_axis,
                where + ": more than 16 axes were given; an array has at most 16");
  }
  for (const int64_t axis : axes.list()) {
    if (axis < -rank || axis >= rank) {
      throw Error(ErrorCode::bad_axis, where + ": axis " + std::to_string(axis) +
                                           " is out of range for " + array + "; " +
                                           (rank == 0 ? std::string("it has no axes")
                                                      : "legal axes are " + std::to_string(-rank) +
                                                            ".." + std::to_string(rank - 1)));
    }
    const auto d = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
    if (fold[d]) {
      throw Error(ErrorCode::bad_axis, where + ": axis " + std::to_string(axis) +
                                           " is named twice; pass each axis once");
    }
    fold[d] = true;
  }
  return fold;
}

Size Plan::bytes_read() const {
  return answers * elements * bytes_of(dtype) * static_cast<Size>(inputs);
}

void check_correction(const Correction& c, const std::string& where) {
  if (c.valid()) return;
  throw Error(ErrorCode::bad_option, where + ": ddof " + std::to_string(c.numerator) + " / " +
                                         std::to_string(c.denominator) +
                                         " is invalid; the denominator must be 1 to 10^9");
}

namespace {

// Returns its decimal: "2", "0.5".
std::string text_of(const Correction& c) {
  if (c.denominator == 1) return std::to_string(c.numerator);
  char text[32] = {};
  const double value = static_cast<double>(c.numerator) / static_cast<double>(c.denominator);
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

void check_estimate(const OpRow& op, const Correction& c) {
  if (!op.about->estimates || c.numerator == 0 || is_of_sample(c)) return;
  throw Error(ErrorCode::bad_option, std::string(op.name) + ": ddof " + text_of(c) +
                                         " is invalid; pass 0 for the population " +
                                         "or 1 for the estimate from a sample");
}

}  // namespace

DType result_type(const OpRow& op, DType input, const Options& options) {
  const std::optional<DType> asked = options.result;
  if (asked) check_number("element type", "DType", static_cast<int>(*asked), dtype_count, op.name);
  const ResultTypes& types = op.about->result;
  const DType own = types.of(input);
  if (!asked && options.wide && is_floating(own) && !types.same_integer) return DType::f64;
  if (!asked || *asked == own || is_floating(*asked)) return asked.value_or(own);
  if (is_integer(own) && is_integer(*asked)) return *asked;
  throw Error(
      ErrorCode::bad_option,
      std::string(op.name) + ": a result of type " + name_of(*asked) + " was requested, but for " +
          name_of(input) + " it is " + name_of(own) + "; choose " +
          (is_integer(own) ? "an integer or floating-point type" : "a floating-point type"));
}

Plan make_plan(std::string_view ops, const ArrayRef& x, const ArrayRef* y, const Options& options) {
  return make_plan(parse_ops(ops), x, y, options);
}

AnswerOptions answering_of(std::vector<const OpRow*> ops, DType dtype, const Options& options) {
  AnswerOptions a{.ops = std::move(ops), .dtype = dtype, .correction = options.ddof};
  check_correction(a.correction, names_of(a.ops));
  for (const OpRow* op : a.ops) {
    check_estimate(*op, a.correction);
    a.results.push_back(result_type(*op, dtype, options));
  }
  if (options.initial) a.initial = initial_of(a, *options.initial);
  a.empty_nan = options.empty_nan;
  return a;
}

Plan make_plan(std::vector<const OpRow*> ops, const ArrayRef& x, const ArrayRef* y,
               const Options& options) {
  if (options.weights && y == nullptr) {
    const ArrayRef second = second_of_weights(ops, x, options);
    Options own = options;
    own.weights.reset();
    return make_plan(std::move(ops), x, &second, own);
  }
  const std::string where = names_of(ops);
  check_arrays(ops, x, y, where);
  check_options(options, y, where);
  Plan plan;
  static_cast<AnswerOptions&>(plan) = answering_of(std::move(ops), x.dtype, options);
  plan.nan = options.nan;
  plan.inputs = y == nullptr ? 1 : 2;
  for (const OpRow* op : plan.ops) plan.indexed |= op->about->uses_index;
  choose_device(plan, x, y, options);
  plan.threads = options.threads;
  plan.target = options.target;
  plan.needs = needs_of(plan.ops);
  plan.layout = layout_of(plan.needs, plan.dtype);

  // A request for all axes cannot be wrong, so no text for error messages is made: it would take a
  // tenth of the plan's time.
  const std::string array = options.axes.all() ? std::string() : "shape " + to_string(x.shape);
  const std::vector<bool> fold = folded_axes(options.axes, x.shape.rank(), array, where);
  for (int d = 0; d < x.shape.rank(); ++d) {
    const auto extent = static_cast<Size>(x.shape[d]);
    if (fold[static_cast<std::size_t>(d)]) {
      plan.elements *= extent;
      if (options.keepdims) plan.output.push_back(1);
    } else {
      plan.answers *= extent;
      plan.output.push_back(x.shape[d]);
    }
  }
  Dims mask;
  if (options.where) {
    mask = mask_strides(x, *options.where, where);
    plan.where = {options.where->bits ? Selector::By::bits : Selector::By::bytes,
                  static_cast<const std::byte*>(options.where->array.data)};
  }
  plan.nest = nest_of(x, y, options.where ? &mask : nullptr, fold, plan);
  if (options.where) plan.nest.origin[2] += static_cast<int64_t>(options.where->first);
  plan.nest.index += options.first;
  plan.aligned = is_aligned(x) && (y == nullptr || is_aligned(*y));
  return plan;
}

bool may_fail(const Plan& plan, std::size_t op) {
  const OpFacts& about = *plan.ops[op]->about;
  const DType to = plan.results[op];
  const bool floating = is_floating(plan.dtype);
  if (plan.nccl != nullptr || (floating && plan.nan == NanPolicy::raise)) return true;
  const bool may_be_empty =
      plan.elements == 0 || plan.where.selects() || (floating && plan.nan == NanPolicy::omit);
  if (about.needs_element && may_be_empty && !plan.initial) return true;
  if (is_floating(to) || to == DType::boolean) return false;
  const Size n = plan.elements + (plan.initial ? 1 : 0);
  return to != about.result.of(plan.dtype) || n >= elements_that_fit(about, plan.dtype);
}

bool nan_when_empty(const AnswerOptions& asked, std::size_t op) {
  return is_floating(asked.results[op]) && !asked.ops[op]->about->uses_index;
}

Gathered gathered_of(const Plan& plan, const int64_t* state) {
  Gathered g{.dtype = plan.dtype, .nan = plan.nan, .correction = plan.correction};
  for (int a = 0; a < every_accumulator; ++a) {
    if (plan.layout.offset[a] >= 0) g.words[a] = state + plan.layout.offset[a];
  }
  return g;
}

Rounded finish(const Plan& plan, std::size_t op, const int64_t* state) {
  const FloatingPointMode mode;  // quotients and roots begin with f64 estimates
  std::vector<int64_t> own;
  if (plan.initial) {
    own.assign(state, state + plan.layout.words);
    add_initial(plan, own.data());
    state = own.data();
  }
  const OpRow& row = *plan.ops[op];
  const DType to = plan.results[op];
  const Rounded r = round(row.finish(gathered_of(plan, state)), to);
  const bool is_nan = r.status == Status::empty_input && plan.empty_nan && nan_when_empty(plan, op);
  return is_nan ? round(Real::nan(), to) : r;
}

}  // namespace onefold
