// Quantiles of segments of the first axis, on the host and on a device.
#include <algorithm>
#include <cstring>

#include "onefold/core/quantile/value.hpp"
#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/quantile/array_quantiles.hpp"
#include "onefold/engine/quantile/slices.hpp"
#include "onefold/engine/request/into.hpp"
#include "onefold/engine/request/output.hpp"
#include "onefold/engine/request/segments.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace {

// A block's threads count elements by 32 bits, with some to spare.
constexpr Size most_on_device = Size{1} << 31;

void check_length(const std::string& name, const ArrayRef& x) {
  if (static_cast<Size>(x.shape[0]) < most_on_device) return;
  throw Error(ErrorCode::unsupported,
              name +
                  ": a device supports segments of fewer than 2^31 elements, but the array has " +
                  std::to_string(x.shape[0]) + "; divide it into parts");
}

SegmentsFold plan_of(const std::string& name, const ArrayRef& x, const ArrayRef& offsets,
                     const std::vector<Quantile>& quantiles, const Options& options, bool queued) {
  const std::initializer_list<std::string_view> meant = {
      ".nan", ".where", ".weights", ".fweights", ".device", ".stream", ".threads", ".target"};
  const bool here = is_on_device(x, options);
  Options others = options;
  if (!here) others.result = {};
  if (const char* const option = option_beside(others, meant)) {
    throw Error(ErrorCode::bad_option,
                name + ": " + option + " is not supported for segments; leave it out");
  }
  check_segments(name, x, offsets, options, queued);
  if (here) check_on_device(name, x, options, meant);
  if (here) check_length(name, x);
  Options own = options;
  own.axes = {0};
  if (!here) own = {.axes = {0}, .result = options.result, .where = options.where};
  return plan_all_segments(backend::checked(plan_of_quantiles(name, x, quantiles, own)), x, nullptr,
                           offsets, options);
}

// The elements [begin, end) of the first axis.
ArrayRef part_of(const ArrayRef& x, const Dims& strides, Size begin, Size end) {
  ArrayRef part = x;
  part.data = static_cast<const std::byte*>(x.data) + static_cast<int64_t>(begin) * strides[0];
  part.shape[0] = static_cast<int64_t>(end - begin);
  part.strides = strides;
  return part;
}

Answers on_host(const SegmentsFold& s, const std::string& name, const ArrayRef& x,
                const std::vector<Quantile>& quantiles, const Options& options) {
  const Size n = s.segments.count, columns = n == 0 ? 0 : s.plan.answers / n;
  const DType type = options.result.value_or(quantile_type(x.dtype));
  Answers all;
  for (const Quantile& q : quantiles) {
    all.list.push_back({.op = q.name,
                        .dtype = type,
                        .shape = s.plan.output,
                        .data = std::vector<std::byte>(s.plan.answers * bytes_of(type)),
                        .status = std::vector<Status>(s.plan.answers)});
  }
  Dims mask, weight;
  if (options.where) mask = mask_strides(x, *options.where, name);
  const GivenWeights weights = weights_of(name, options);
  if (weights.array != nullptr) weight = broadcast_strides(x, *weights.array, weights.name(), name);
  parallel(n, options.threads, [&](std::size_t i) {
    const auto begin = static_cast<Size>(s.numbers[i]), end = static_cast<Size>(s.numbers[i + 1]);
    Options own{.axes = {0}, .result = options.result, .nan = options.nan, .threads = 1};
    const ArrayRef part = part_of(x, x.strides, begin, end);
    if (options.where) {
      ArrayRef whole = options.where->array;
      whole.shape = x.shape;
      own.where = Mask(part_of(whole, mask, begin, end));
    }
    if (weights.array != nullptr) {
      ArrayRef whole = *weights.array;
      whole.shape = x.shape;
      (weights.repeated ? own.fweights : own.weights) = part_of(whole, weight, begin, end);
    }
    const Answers some = quantiles_of_array(name, quantiles, part, own);
    for (std::size_t k = 0; k < quantiles.size(); ++k) {
      const Answer& from = some.list[k];
      std::memcpy(all.list[k].data.data() + i * columns * bytes_of(type), from.data.data(),
                  from.data.size());
      std::ranges::copy(from.status,
                        all.list[k].status.begin() + static_cast<std::ptrdiff_t>(i * columns));
    }
  });
  return all;
}

}  // namespace

Answers quantiles_of_segments(const std::string& name, const ArrayRef& x, const ArrayRef& offsets,
                              const std::vector<Quantile>& quantiles, const Options& options) {
  const SegmentsFold s = plan_of(name, x, offsets, quantiles, options, false);
  if (!is_on_device(x, options)) return on_host(s, name, x, quantiles, options);
  if (quantiles.empty()) return {};
  Answers answers = quantiles_of_job(
      {.plan = s.plan, .x = x.data, .outputs = {}, .segments = &s.segments}, quantiles);
  refuse_bad_offsets(s.plan, x, s.segments.count, answers.list[0].status.data());
  return answers;
}

void quantiles_of_segments_into(const std::string& name, std::span<const OutputRef> outs,
                                const ArrayRef& x, const ArrayRef& offsets,
                                const std::vector<Quantile>& quantiles, const Options& options) {
  if (quantiles.empty() && outs.empty()) return;
  const SegmentsFold s = plan_of(name, x, offsets, quantiles, options, true);
  if (!is_on_device(x, options)) {
    const std::vector<backend::Output> places = check_outputs(s.plan, outs);
    return write_answers(s.plan, places, on_host(s, name, x, quantiles, options));
  }
  const std::vector<backend::Output> places = check_outputs(s.plan, outs);
  const std::vector<QuantileLevel> levels(quantiles.begin(), quantiles.end());
  backend::fold({.plan = s.plan,
                 .x = x.data,
                 .outputs = places,
                 .segments = &s.segments,
                 .quantiles = levels});
}

void quantiles_of_labels_into(const std::string& name, std::span<const OutputRef> outs,
                              const ArrayRef& labels, const ArrayRef& x, Size groups,
                              const std::vector<Quantile>& quantiles, const Options& options) {
  check_on_device(name, x, options, {".nan", ".device", ".stream"});
  check_array(labels, name + ": the labels");
  if (x.shape.rank() != 1 || labels.shape != x.shape || !is_integer(labels.dtype)) {
    throw Error(ErrorCode::shape_mismatch,
                name + ": the labels are " + name_of(labels.dtype) + " of shape " +
                    to_string(labels.shape) + ", and the array has shape " + to_string(x.shape) +
                    "; labels must be integers, one for each element of a one-dimensional array");
  }
  check_length(name, x);
  Plan plan = backend::checked(plan_of_quantiles(name, x, quantiles, options));
  plan.answers = groups;
  plan.output = Dims(static_cast<int64_t>(groups));
  const std::vector<backend::Output> places = check_outputs(plan, outs);
  const std::vector<QuantileLevel> levels(quantiles.begin(), quantiles.end());
  const backend::Labels by{
      .data = labels.data,
      .type = labels.dtype,
      .groups = groups,
      .stride = labels.strides[0],
      .x_stride = x.strides[0],
      .refuse = [&](const void*) {
        throw Error(ErrorCode::bad_option,
                    name + ": a label is negative or too large; labels must be below " +
                        std::to_string(groups) + ", the number of groups");
      }};
  backend::fold({.plan = plan, .x = x.data, .outputs = places, .labels = &by, .quantiles = levels});
}

}  // namespace onefold
