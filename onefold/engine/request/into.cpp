#include "onefold/engine/request/into.hpp"

#include <algorithm>

#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/plan/weighted.hpp"

namespace onefold {
namespace {

// Checks that answer k of the plan fits its output.
void check_output(const Plan& plan, std::size_t k, const OutputRef& out) {
  const std::string where = plan.ops[k]->name;
  if (static_cast<int>(out.dtype) >= dtype_count) {
    throw Error(ErrorCode::bad_option, where + ": the output's element type number " +
                                           std::to_string(static_cast<int>(out.dtype)) +
                                           " is not a value of onefold::DType");
  }
  if (plan.results[k] != out.dtype) {
    throw Error(ErrorCode::type_mismatch, where + ": the answer is " + name_of(plan.results[k]) +
                                              " and the output is " + name_of(out.dtype) +
                                              "; use an output of that type, or pass .result");
  }
  const bool flat = out.shape.rank() == 1 && static_cast<Size>(out.shape[0]) == plan.answers;
  if (!flat && out.shape != plan.output) {
    throw Error(ErrorCode::shape_mismatch,
                where + ": the answer has shape " + to_string(plan.output) +
                    " and the output has shape " + to_string(out.shape) + "; they must be equal");
  }
  if (out.data == nullptr && plan.answers > 0) {
    throw Error(ErrorCode::bad_option,
                where + ": the output pointer is null for shape " + to_string(plan.output));
  }
}

struct OutputRange {
  uintptr_t begin, end;
  const char* what;
  const char* op;
  std::string name() const { return std::string("the ") + what + op; }
};

void add_places(std::vector<OutputRange>& places, const Plan& plan,
                std::span<const backend::Output> outputs) {
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const auto add = [&](const void* p, Size bytes, const char* what) {
      const auto begin = reinterpret_cast<uintptr_t>(p);
      if (p == nullptr || bytes == 0) return;
      places.push_back({begin, begin + bytes, what, plan.ops[k]->name});
    };
    add(outputs[k].data, plan.answers * bytes_of(plan.results[k]), "output of ");
    add(outputs[k].status, plan.answers * sizeof(Status), "statuses of ");
  }
}

void check_apart(std::vector<OutputRange>& places, const Plan& first) {
  std::sort(places.begin(), places.end(),
            [](const OutputRange& a, const OutputRange& b) { return a.begin < b.begin; });
  for (std::size_t k = 1; k < places.size(); ++k) {
    if (places[k].begin >= places[k - 1].end) continue;
    throw Error(ErrorCode::bad_option, names_of(first.ops) + ": " + places[k - 1].name() + " and " +
                                           places[k].name() +
                                           " share memory; each needs memory of its own");
  }
}

}  // namespace

void check_apart(std::span<const OutputFold> folds) {
  std::vector<OutputRange> places;
  for (const OutputFold& into : folds) add_places(places, into.plan, into.outputs);
  check_apart(places, folds[0].plan);
}

std::vector<backend::Output> check_outputs(const Plan& plan, std::span<const OutputRef> outs) {
  if (plan.ops.size() != outs.size()) {
    throw Error(ErrorCode::bad_option, names_of(plan.ops) + ": " + std::to_string(outs.size()) +
                                           " outputs were given for " +
                                           std::to_string(plan.ops.size()) +
                                           " ops; pass one output for each op");
  }
  std::vector<backend::Output> outputs;
  outputs.reserve(outs.size());
  for (std::size_t k = 0; k < outs.size(); ++k) {
    check_output(plan, k, outs[k]);
    outputs.push_back({outs[k].data, outs[k].status});
  }
  if (outs.size() == 1 && outs[0].status == nullptr) return outputs;
  std::vector<OutputRange> places;
  add_places(places, plan, outputs);
  check_apart(places, plan);
  return outputs;
}

std::vector<backend::Output> check_device_outputs(const Plan& plan,
                                                  std::span<const OutputRef> outs) {
  const std::vector<backend::Output> outputs = check_outputs(plan, outs);
  for (const backend::Output& out : outputs) {
    if (out.status != nullptr) continue;
    throw Error(ErrorCode::bad_option,
                names_of(plan.ops) +
                    ": an output on a device has no statuses; pass a status array with each");
  }
  return outputs;
}

OutputFold check_into(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
                      const ArrayRef* y, const Options& options) {
  refuse_first(ops, options);
  OutputFold into{.plan = backend::checked(plan_any(ops, x, y, options)), .outputs = {}};
  into.outputs = check_outputs(into.plan, outs);
  return into;
}

void refuse_first(std::string_view ops, const Options& options) {
  if (options.first == 0 || options.nccl != nullptr) return;
  throw Error(ErrorCode::bad_option, std::string(ops) + ": .first is " +
                                         std::to_string(options.first) +
                                         ", but it applies to gather only; leave it out");
}

}  // namespace onefold
