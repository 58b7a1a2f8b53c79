// Quantiles of arrays by the public functions, on the host and on a device.
#include "onefold/quantile.hpp"

#include <algorithm>
#include <array>

#include "onefold/core/quantile/value.hpp"
#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/weighted.hpp"
#include "onefold/engine/quantile/array_quantiles.hpp"
#include "onefold/engine/quantile/weighted_rank.hpp"
#include "onefold/engine/request/into.hpp"
#include "onefold/engine/request/output.hpp"
#include "onefold/engine/request/weights.hpp"
#include "onefold/system/made_once.hpp"

namespace onefold {
namespace {

[[noreturn]] void refuse(const std::string& name, ErrorCode code, const std::string& why) {
  throw Error(code, name + ": " + why);
}

}  // namespace

const OpRow& row_of(std::string_view name) {
  static constinit std::array<MadeOnce<OpRow>, 3> rows;
  constexpr const char* names[] = {"quantile", "median", "histogram"};
  const std::size_t k = name == names[1] ? 1 : name == names[2] ? 2 : 0;
  return rows[k].get([&] {
    OpRow row = find_op("max");
    row.name = names[k];
    return row;
  });
}

bool is_on_device(const ArrayRef& x, const Options& options) {
  return x.device.type == Device::Type::cuda || options.device.type == Device::Type::cuda;
}

Plan plan_of_quantiles(const std::string& name, const ArrayRef& x,
                       const std::vector<Quantile>& quantiles, Options options) {
  const std::size_t count = quantiles.size();
  const Options given = options;
  const GivenWeights weights = weights_of(name, given);
  if (weights.array != nullptr && !weights.repeated) check_weighted(name, quantiles);
  options.weights.reset();
  options.fweights.reset();
  const DType type = options.result.value_or(quantile_type(x.dtype));
  options.threads = 0;
  options.target = {};
  options.result = {};
  if (options.where) mask_strides(x, *options.where, name);  // throws what is wrong, by this name
  Plan plan = make_plan("max", x, nullptr, options);
  plan.ops.assign(count, &row_of(name));
  plan.results.assign(count, type);
  if (weights.array != nullptr && plan.device.type == Device::Type::cuda) {
    add_quantile_weights(plan, x, *weights.array, weights.repeated, options, name);
  }
  return plan;
}

void check_on_device(const std::string& name, const ArrayRef& x, const Options& options,
                     std::initializer_list<std::string_view> meant) {
  check_array(x, name);
  if (const char* const option = option_beside(options, meant)) {
    refuse(name, ErrorCode::bad_option,
           std::string(option) + " is not supported for arrays on a device; leave it out");
  }
  if (!is_floating(x.dtype)) {
    refuse(name, ErrorCode::unsupported,
           std::string("a device supports f16, bf16, f32 and f64, but the array is of type ") +
               name_of(x.dtype) + "; convert it");
  }
}

Answers quantiles_of_job(backend::Job job, const std::vector<Quantile>& quantiles) {
  Output output(job.plan);
  const std::vector<backend::Output> places = output.all_places();
  const std::vector<QuantileLevel> levels(quantiles.begin(), quantiles.end());
  job.outputs = places;
  job.quantiles = levels;
  backend::fold(job);
  Answers answers = output.take(job.plan.output);
  if (job.plan.weighted != nullptr) refuse_bad_weights(answers);
  for (std::size_t k = 0; k < quantiles.size(); ++k) answers.list[k].op = quantiles[k].name;
  return answers;
}

namespace {

Plan device_plan(const std::string& name, const ArrayRef& x, const std::vector<Quantile>& quantiles,
                 const Options& options) {
  check_on_device(name, x, options,
                  {".axes", ".keepdims", ".nan", ".where", ".weights", ".fweights", ".device",
                   ".stream", ".threads", ".target"});
  Plan plan = plan_of_quantiles(name, x, quantiles, options);
  if (plan.weighted != nullptr) return backend::checked(std::move(plan));
  const auto folded = std::ranges::count_if(plan.nest.axes, [](const Axis& a) { return a.folded; });
  if (folded > 1 || plan.nest.repeats != 1 || plan.nest.elements() != plan.elements) {
    refuse(name, ErrorCode::unsupported,
           "on a device the elements of a slice must be equally far apart in memory; copy the "
           "array to contiguous memory");
  }
  return backend::checked(std::move(plan));
}

// The answers of an array without elements, wherever it is.
Answers of_nothing(const std::string& name, const std::vector<Quantile>& quantiles, ArrayRef x,
                   Options options) {
  x.device = options.device = cpu;
  options.stream = nullptr;
  return quantiles_of_array(name, quantiles, x, options);
}

Answers quantiles_on_device(const std::string& name, const std::vector<Quantile>& quantiles,
                            const ArrayRef& x, const Options& options) {
  const Plan plan = device_plan(name, x, quantiles, options);
  if (plan.elements == 0 || plan.answers == 0 || quantiles.empty()) {
    return of_nothing(name, quantiles, x, options);
  }
  return quantiles_of_job({.plan = plan, .x = x.data, .outputs = {}}, quantiles);
}

}  // namespace

void quantiles_of_array_into(const std::string& name, std::span<const OutputRef> outs,
                             const ArrayRef& x, const std::vector<Quantile>& quantiles,
                             const Options& options) {
  if (outs.size() != quantiles.size()) {
    refuse(name, ErrorCode::bad_option,
           std::to_string(quantiles.size()) + " quantiles were requested, but " +
               std::to_string(outs.size()) +
               " outputs were given; pass one output for each quantile");
  }
  if (quantiles.empty()) return;
  const bool here = is_on_device(x, options);
  const Options of_host{
      .axes = options.axes, .keepdims = options.keepdims, .result = options.result};
  const Plan plan = here ? device_plan(name, x, quantiles, options)
                         : plan_of_quantiles(name, x, quantiles, of_host);
  const std::vector<backend::Output> outputs = check_outputs(plan, outs);
  if (!here || plan.elements == 0 || plan.answers == 0) {
    return write_answers(plan, outputs,
                         here ? of_nothing(name, quantiles, x, options)
                              : quantiles_of_array(name, quantiles, x, options));
  }
  const std::vector<QuantileLevel> levels(quantiles.begin(), quantiles.end());
  const backend::Job job{.plan = plan, .x = x.data, .outputs = outputs, .quantiles = levels};
  if (backend::queue({&job, 1})) return;
  write_answers(plan, outputs, quantiles_on_device(name, quantiles, x, options));
}

Answers quantile(const ArrayRef& x, const std::vector<Quantile>& quantiles,
                 const Options& options) {
  return is_on_device(x, options) ? quantiles_on_device("quantile", quantiles, x, options)
                                  : quantiles_of_array("quantile", quantiles, x, options);
}
Answer median(const ArrayRef& x, const Options& options) {
  const std::vector<Quantile> one(1);
  return std::move((is_on_device(x, options) ? quantiles_on_device("median", one, x, options)
                                             : quantiles_of_array("median", one, x, options))
                       .list[0]);
}
void quantile_into(std::span<const OutputRef> outs, const ArrayRef& x,
                   const std::vector<Quantile>& quantiles, const Options& options) {
  quantiles_of_array_into("quantile", outs, x, quantiles, options);
}
Answers quantile_segments(const ArrayRef& x, const ArrayRef& offsets,
                          const std::vector<Quantile>& quantiles, const Options& options) {
  return quantiles_of_segments("quantile", x, offsets, quantiles, options);
}
Answers quantile_windows(const ArrayRef& x, const Windows& windows,
                         const std::vector<Quantile>& quantiles, const Options& options) {
  return quantiles_of_windows("quantile", x, windows, quantiles, options);
}
void quantile_windows_into(std::span<const OutputRef> outs, const ArrayRef& x,
                           const Windows& windows, const std::vector<Quantile>& quantiles,
                           const Options& options) {
  quantiles_of_windows_into("quantile", outs, x, windows, quantiles, options);
}
void quantile_segments_into(std::span<const OutputRef> outs, const ArrayRef& x,
                            const ArrayRef& offsets, const std::vector<Quantile>& quantiles,
                            const Options& options) {
  quantiles_of_segments_into("quantile", outs, x, offsets, quantiles, options);
}
void median_into(const OutputRef& out, const ArrayRef& x, const Options& options) {
  quantiles_of_array_into("median", {&out, 1}, x, std::vector<Quantile>(1), options);
}

}  // namespace onefold
