// The public API on top of plan and backend.
#include <algorithm>
#include <cstring>

#include "onefold/cpu/feed.hpp"
#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/group/state_table.hpp"
#include "onefold/engine/plan/alias.hpp"
#include "onefold/engine/plan/copies.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/engine/plan/weighted.hpp"
#include "onefold/engine/request/folds.hpp"
#include "onefold/engine/request/into.hpp"
#include "onefold/engine/request/output.hpp"
#include "onefold/engine/request/short_fold.hpp"
#include "onefold/engine/request/weights.hpp"
#include "onefold/onefold.hpp"
#include "onefold/planned.hpp"

namespace onefold {
namespace {

[[noreturn]] void throw_status(Status status, const std::string& where) {
  switch (status) {
    case Status::overflow:
      throw Error(ErrorCode::overflow,
                  where + ": the exact value does not fit the result type; request f64");
    case Status::nan_found:
      throw Error(
          ErrorCode::nan_found,
          where + ": a NaN was found, and the NaN policy is raise; choose omit to leave NaN out");
    case Status::bad_weights:
      throw Error(ErrorCode::bad_option,
                  where +
                      ": a weight is negative or not finite, or .fweights add up to 2^63 elements "
                      "or more (for quantiles, 2^59)");
    case Status::too_few:
      throw Error(ErrorCode::empty_input,
                  where + ": the window has fewer elements than this op needs");
    case Status::undecided:
      throw Error(
          ErrorCode::bad_state,
          where + ": the state is not precise enough to round its answer; fold the elements again");
    default:
      throw Error(ErrorCode::empty_input,
                  where + ": there is nothing to fold, and this op is undefined for no elements");
  }
}

void check_type(const std::string& where, DType has, DType asked) {
  if (has != asked) {
    throw Error(ErrorCode::type_mismatch, where + " is of type " + name_of(has) + ", but " +
                                              name_of(asked) + " was requested");
  }
}

std::string element(const Answer& a, Size i) {
  return a.op + (a.size() == 1 ? "" : "[" + std::to_string(i) + "]");
}

}  // namespace

void refuse_bad_weights(const Answers& answers) {
  for (const Answer& a : answers.list) {
    const auto bad = std::ranges::find(a.status, Status::bad_weights);
    if (bad == a.status.end()) continue;
    throw_status(Status::bad_weights, element(a, static_cast<Size>(bad - a.status.begin())));
  }
}

namespace {

Answers run(const Plan& plan, const ArrayRef& x, const void* y, const Options& options) {
  Output output(plan);
  const bool repeats = options.fweights && plan.weighted == nullptr;
  const auto copies = repeats ? std::nullopt : Copies::of(plan);
  if (copies) {
    const Answers once = run(copies->plan, x, y, options);
    const std::vector<backend::Output> to = output.all_places();
    for (std::size_t k = 0; k < to.size(); ++k) {
      copies->spread(once.list[k].data.data(), to[k].data, bytes_of(plan.results[k]));
      copies->spread(once.list[k].status.data(), to[k].status, sizeof(Status));
    }
    return output.take(plan.output);
  }
  if (repeats) {
    count_repeated(plan, x, options);
    StateTable states(plan, plan.answers);
    gather_repeated(plan, x, options, states[0]);
    for (Size a = 0; a < plan.answers; ++a) output.put(plan, a, states[a]);
    return output.take(plan.output);
  }
  const std::vector<backend::Output> places = output.all_places();
  backend::fold({plan, x.data, y, places});
  Answers answers = output.take(plan.output);
  if (options.fweights) refuse_bad_weights(answers);
  return answers;
}

}  // namespace

Answers fold_axes(std::string_view ops, const ArrayRef& x, const ArrayRef* y,
                  const Options& options) {
  refuse_first(ops, options);
  Answers answers =
      run(backend::checked(plan_any(ops, x, y, options)), x, second_of(y, options), options);
  if (options.weights) name_answers(answers, ops);
  return answers;
}

namespace {

// Folds directly into the outputs, if no data can give a bad status. Otherwise does nothing and
// returns false.
bool run_straight(const backend::Job& job, const Options& options) {
  const Plan& plan = job.plan;
  if (options.fweights || plan.device.type == Device::Type::cuda || plan.elements == 0)
    return false;
  if (Copies::are_in(plan)) return false;
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    if (may_fail(plan, k)) return false;
  }
  for (const backend::Output& out : job.outputs) {
    if (out.status != nullptr) std::fill_n(out.status, plan.answers, Status::ok);
  }
  backend::fold(job);
  return true;
}

}  // namespace

void write_answers(const Plan& plan, std::span<const backend::Output> outs,
                   const Answers& answers) {
  for (std::size_t k = 0; k < outs.size(); ++k) {
    if (outs[k].status != nullptr) continue;
    const Answer& a = answers.list[k];
    if (a.size() == 0) continue;
    const Status* const s = a.status.data();
    if (s[0] == Status::ok && std::memcmp(s, s + 1, a.size() - 1) == 0) continue;
    for (Size i = 0; i < a.size(); ++i) {
      if (s[i] != Status::ok) throw_status(s[i], element(a, i));
    }
  }
  for (std::size_t k = 0; k < outs.size(); ++k) {
    const Answer& a = answers.list[k];
    backend::write(plan, outs[k].data, a.data.data(), a.data.size());
    if (outs[k].status == nullptr) continue;
    backend::write(plan, outs[k].status, a.status.data(), a.status.size() * sizeof(Status));
  }
}

void run_into(const Plan& plan, std::span<const backend::Output> outs, const ArrayRef& x,
              const void* y, const Options& options) {
  const backend::Job job{plan, x.data, y, outs};
  const bool here = !options.fweights || plan.weighted != nullptr;
  if (here && backend::queue({&job, 1})) return;
  if (run_straight(job, options)) return;
  write_answers(plan, outs, run(plan, x, y, options));
}

void Value::check(DType asked, const char* name) const {
  if (status != Status::ok) throw_status(status, name);
  check_type(name, dtype, asked);
}

Value Answer::operator[](Size i) const {
  if (i >= size()) {
    throw Error(ErrorCode::bad_option, op + ": answer " + std::to_string(i) +
                                           " is out of range; the number of answers is " +
                                           std::to_string(size()));
  }
  if (const auto found = integers.find(i); found != integers.end()) return found->second;
  Value v{.dtype = dtype, .status = status[i]};
  std::memcpy(&v.bits, data.data() + i * bytes_of(dtype), bytes_of(dtype));
  return v;
}

Value Answer::only() const {
  if (size() == 1) return (*this)[0];
  throw Error(ErrorCode::shape_mismatch, op + ": the answer has shape " + to_string(shape) +
                                             ", but one value was requested; use values or [i]");
}

void Answer::check(DType asked) const {
  check_type(op, dtype, asked);
  for (Size i = 0; i < size(); ++i) {
    if (status[i] != Status::ok) throw_status(status[i], element(*this, i));
  }
}

const Answer& Answers::operator[](std::string_view op) const& {
  for (const Answer& a : list) {
    if (a.op == op) return a;
  }
  if (const Alias* const alias = find_alias(op)) return (*this)[alias->op];
  throw Error(ErrorCode::unknown_op,
              "\"" + std::string(op) + "\" is not an op of this fold; add it to the list of ops");
}

void Answers::check_keys(DType asked) const { check_type("the keys", key_type, asked); }

// The struct must stay below 1,032 bytes, since malloc takes such blocks from its lists; a larger
// one would make a fold of 100 elements 5 % slower.
struct PlannedFold::Impl {
  const void *const x, *const y;
  const DType x_type, y_type;
  const Plan plan;
  struct RepeatedInput {
    ArrayRef x;
    Options options;
  };
  std::unique_ptr<RepeatedInput> repeated = {};  // for frequency weights; null: there are none
  std::vector<Op> ops = {};

  // Returns whether a plan for one array's address also fits another one's: both null or neither,
  // and equally aligned for the type.
  static bool are_alike(const void* planned, const void* given, DType t) {
    const auto apart = reinterpret_cast<uintptr_t>(planned) ^ reinterpret_cast<uintptr_t>(given);
    return (planned == nullptr) == (given == nullptr) && apart % bytes_of(t) == 0;
  }
  // Runs the plan with other addresses.
  void run(const Plan& now, std::span<const OutputRef> outs, const void* one, const void* two,
           const Options& options) const;
};
namespace {
[[noreturn]] void refuse_moved(const Plan& plan) {
  throw Error(ErrorCode::bad_option,
              names_of(plan.ops) +
                  ": this planned fold cannot read the array: it is missing, or its " +
                  "alignment is not the planned one; make a new plan for it");
}
}  // namespace

PlannedFold::PlannedFold(std::string_view ops, const ArrayRef& x, const ArrayRef* y,
                         const Options& options) {
  refuse_first(ops, options);
  const DType second = y != nullptr ? y->dtype : options.weights ? options.weights->dtype : x.dtype;
  impl_.reset(new Impl{x.data, second_of(y, options), x.dtype, second,
                       backend::checked(plan_any(ops, x, y, options))});
  const Plan& plan = impl_->plan;
  const std::vector<const OpRow*> asked = parse_ops(ops);
  if (options.fweights) impl_->repeated.reset(new Impl::RepeatedInput{x, options});
  impl_->ops.reserve(plan.ops.size());
  for (std::size_t k = 0; k < plan.ops.size(); ++k) {
    impl_->ops.push_back({asked[k]->name, plan.results[k], options.fweights || may_fail(plan, k),
                          nan_when_empty(plan, k)});
  }
}
const Dims& PlannedFold::shape() const { return impl_->plan.output; }
std::span<const PlannedFold::Op> PlannedFold::ops() const { return impl_->ops; }
void PlannedFold::into(std::span<const OutputRef> outs) const { into(outs, impl_->x, impl_->y); }
void PlannedFold::into(std::span<const OutputRef> outs, const void* one, const void* two) const {
  static const Options others;
  impl_->run(impl_->plan, outs, one, two, impl_->repeated ? impl_->repeated->options : others);
}
void PlannedFold::into(std::span<const OutputRef> outs, const Arrays& arrays) const {
  const auto& [x, y, mask, weights] = arrays;
  Plan plan = impl_->plan;
  Options options = impl_->repeated ? impl_->repeated->options : Options();
  if (mask != nullptr) {
    plan.where.data = static_cast<const std::byte*>(mask);
    if (options.where) options.where->array.data = mask;
  }
  if (weights == nullptr) return impl_->run(plan, outs, x, y, options);
  if (options.fweights) options.fweights->data = weights;
  if (plan.weighted == nullptr) {
    return impl_->run(plan, outs, x, options.fweights ? y : weights, options);
  }
  Weighted moved = *plan.weighted;
  if (!Impl::are_alike(moved.data, weights, moved.type)) refuse_moved(plan);
  moved.data = static_cast<const std::byte*>(weights);
  plan.weighted = std::make_shared<const Weighted>(std::move(moved));
  impl_->run(plan, outs, x, plan.inputs == 2 ? y : impl_->y, options);
}
void PlannedFold::Impl::run(const Plan& now, std::span<const OutputRef> outs, const void* one,
                            const void* two, const Options& options) const {
  ArrayRef a;
  if (repeated) a = repeated->x;
  a.data = one;
  if (now.elements != 0 && now.answers != 0 &&
      !(are_alike(x, one, x_type) && are_alike(y, two, y_type))) {
    refuse_moved(now);
  }
  run_into(now, check_outputs(now, outs), a, two, options);
}

std::vector<std::string_view> op_names() {
  std::vector<std::string_view> names;
  for (const OpRow& row : op_rows()) names.push_back(row.name);
  return names;
}

std::vector<std::string_view> cpu_targets() {
  std::vector<std::string_view> names;
  for (const Target t : usable_targets()) names.push_back(name_of(t));
  return names;
}

namespace detail {

void fold_whole(std::span<const TypedOp> requests, const ArrayRef& x, const ArrayRef* y,
                const Options& options, Value* out) {
  if (fold_short(requests, x, y, options, out)) return;
  std::vector<const OpRow*> ops;
  for (const TypedOp& r : requests) {
    ops.push_back(&find_op(r.op));
    if (options.result && *options.result != r.result) {
      throw Error(ErrorCode::bad_option, std::string(r.op) + ": this call returns " +
                                             name_of(r.result) + "; for another result type call " +
                                             r.op + ".as<T>(x) or fold(\"" + r.op + "\", ...)");
    }
  }
  refuse_first(names_of(ops), options);
  if (options.fweights || (options.weights && names_of(ops) != "average")) {
    const Answers answers = fold_axes(names_of(ops), x, y, options);
    for (std::size_t k = 0; k < requests.size(); ++k) out[k] = answers.list[k].only();
    return;
  }
  const Plan plan = backend::checked(make_plan(std::move(ops), x, y, options));
  if (!options.axes.all() && options.axes.list().rank() == 0) {
    throw Error(
        ErrorCode::bad_axis,
        "this call returns one value for a whole range; with Axes::none() use fold(\"...\")");
  }
  for (std::size_t k = 0; k < requests.size(); ++k) {
    if (plan.results[k] == requests[k].result) continue;  // .wide has made the answer f64
    throw Error(ErrorCode::bad_option, std::string(requests[k].op) + ": this call returns " +
                                           name_of(requests[k].result) + ", but .wide requests " +
                                           name_of(plan.results[k]) + "; for that use fold(\"" +
                                           requests[k].op + "\", ...)");
  }
  remember_short(requests, plan, x, y, options);
  std::vector<backend::Output> places;
  for (std::size_t k = 0; k < requests.size(); ++k) {
    out[k] = {.dtype = plan.results[k], .status = Status::ok, .bits = 0};
    places.push_back({&out[k].bits, &out[k].status});
  }
  backend::fold({plan, x.data, second_of(y, options), places});
}

bool quick_sum(const double* x, Size n, double* out) { return cpu_backend::quick_sum(x, n, out); }
bool quick_mean(const double* x, Size n, double* out) { return cpu_backend::quick_mean(x, n, out); }

}  // namespace detail
}  // namespace onefold
