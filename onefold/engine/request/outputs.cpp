// Folds along axes into the caller's outputs, of any strides.
#include <algorithm>
#include <cstring>

#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/plan/places.hpp"
#include "onefold/engine/request/folds.hpp"
#include "onefold/engine/request/into.hpp"

namespace onefold {
namespace {

// Returns the strides in elements.
Dims strides_of(const OutputRef& out) {
  Dims strides = out.strides;
  for (int d = 0; d < strides.rank(); ++d) strides[d] /= static_cast<int64_t>(bytes_of(out.dtype));
  return strides;
}

// The number of elements in memory from the first answer to the last.
Size span_of(const OutputRef& out, const Dims& strides) {
  Size n = 1;
  for (int d = 0; d < out.shape.rank(); ++d) {
    if (out.shape[d] == 0) return 0;
    n += static_cast<Size>(strides[d]) * static_cast<Size>(out.shape[d] - 1);
  }
  return n;
}

void check_strides(const OutputRef& out, const char* where) {
  const int rank = out.shape.rank();
  if (out.strides.rank() != rank) {
    throw Error(ErrorCode::shape_mismatch,
                std::string(where) + ": the output has shape " + to_string(out.shape) +
                    " and strides " + to_string(out.strides) + "; pass one stride for each axis");
  }
  const auto bytes = static_cast<int64_t>(bytes_of(out.dtype));
  struct Step {
    int64_t stride, extent;
  };
  std::vector<Step> steps;
  for (int d = 0; d < rank; ++d) {
    if (out.shape[d] > 1) steps.push_back({out.strides[d], out.shape[d]});
  }
  std::sort(steps.begin(), steps.end(),
            [](const Step& a, const Step& b) { return a.stride < b.stride; });
  int64_t beyond = bytes;  // the bytes that answers of all smaller strides span
  for (const Step& s : steps) {
    if (s.stride < beyond || s.stride % bytes != 0 ||
        s.stride > (int64_max - beyond) / (s.extent - 1)) {
      throw Error(ErrorCode::bad_option, std::string(where) + ": the output's strides " +
                                             to_string(out.strides) + " for shape " +
                                             to_string(out.shape) + " make answers overlap; " +
                                             "they must be multiples of " + std::to_string(bytes) +
                                             ", each larger than the span of the smaller ones");
    }
    beyond += s.stride * (s.extent - 1);
  }
}

// A contiguous buffer of answers, which are then copied to the output.
struct Dense {
  std::vector<std::byte> data;
  std::vector<Status> status;
};

void put(const Plan& plan, const OutputRef& out, const Dense& from) {
  const Size bytes = bytes_of(out.dtype), n = plan.answers;
  const Dims strides = strides_of(out);
  const int rank = out.shape.rank();
  const Size inner = rank == 0 ? 1 : static_cast<Size>(out.shape[rank - 1]);
  const Size apart = rank == 0 ? 1 : static_cast<Size>(strides[rank - 1]);
  auto* const to = static_cast<std::byte*>(out.data);
  for (Size i = 0; i < n; i += inner) {
    Size left = i / inner, at = 0;
    for (int d = rank - 1; d-- > 0;) {
      const auto extent = static_cast<Size>(out.shape[d]);
      at += left % extent * static_cast<Size>(strides[d]);
      left /= extent;
    }
    const Size some = apart == 1 ? inner : 1;
    for (Size k = 0; k < inner; k += some) {
      const Size place = at + k * apart;
      backend::write(plan, to + place * bytes, from.data.data() + (i + k) * bytes, some * bytes);
      if (out.status == nullptr) continue;
      backend::write(plan, out.status + place, from.status.data() + i + k, some * sizeof(Status));
    }
  }
}

// Queues the fold if the device's kernels can write to these outputs; otherwise returns false and
// does nothing.
bool queue(Plan plan, std::span<const OutputRef> outs, const ArrayRef& x, const void* y) {
  if (plan.device.type != Device::Type::cuda || plan.answers == 0) return false;
  std::vector<backend::Output> places;
  for (const OutputRef& out : outs) places.push_back({out.data, out.status});
  plan.nest = with_places(plan.nest, plan.output, strides_of(outs[0]));
  const backend::Job job{plan, x.data, y, places};
  return backend::queue({&job, 1});
}

// Kernels use the same strides for the answers of all ops. If the outputs' strides differ, each op
// is folded separately.
bool queue_all(const Plan& plan, std::span<const OutputRef> outs, const ArrayRef& x,
               const ArrayRef* y, const Options& options) {
  const bool alike = std::all_of(outs.begin(), outs.end(), [&](const OutputRef& o) {
    return strides_of(o) == strides_of(outs[0]);
  });
  const void* const second = second_of(y, options);
  if (alike) return queue(plan, outs, x, second);
  for (std::size_t k = 0; k < outs.size(); ++k) {
    const Plan one = make_plan({plan.ops[k]}, x, y, options);
    if (!queue(one, outs.subspan(k, 1), x, second)) return false;
  }
  return true;
}

// Checks the outputs; returns false if answers must be copied through host memory.
bool queue_checked(const Plan& plan, std::span<const OutputRef> outs, const ArrayRef& x,
                   const ArrayRef* y, const Options& options) {
  std::vector<OutputFold> spans;
  for (std::size_t k = 0; k < outs.size(); ++k) {
    check_strides(outs[k], plan.ops[k]->name);
    OutputFold& into =
        spans.emplace_back(OutputFold{.plan = plan, .outputs = {{outs[k].data, outs[k].status}}});
    into.plan.ops = {plan.ops[k]};
    into.plan.results = {plan.results[k]};
    into.plan.answers = span_of(outs[k], strides_of(outs[k]));
  }
  check_apart(spans);
  return !options.fweights && plan.weighted == nullptr && queue_all(plan, outs, x, y, options);
}

// Gives outputs without strides those of C order.
std::vector<OutputRef> with_strides(const Plan& plan, std::span<const OutputRef> outs) {
  std::vector<OutputRef> all(outs.begin(), outs.end());
  for (std::size_t k = 0; k < all.size(); ++k) {
    OutputRef& o = all[k];
    if (o.strides.rank() == 0) {
      o.shape = plan.output;
      o.strides = ArrayRef(o.data, o.dtype, o.shape).strides;
    } else if (o.shape != plan.output) {
      throw Error(ErrorCode::shape_mismatch,
                  std::string(plan.ops[k]->name) + ": the answer has shape " +
                      to_string(plan.output) + " but the output has shape " + to_string(o.shape) +
                      "; they must be equal");
    }
  }
  return all;
}

void fold_strided(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
                  const ArrayRef* y, const Options& options) {
  if (options.nccl != nullptr) {
    throw Error(
        ErrorCode::bad_option,
        std::string(ops) + ": with .nccl, outputs must be in C order; leave their strides out");
  }
  const OutputFold into = check_into(outs, ops, x, y, options);
  const Plan& plan = into.plan;
  const std::vector<OutputRef> strided = with_strides(plan, outs);
  if (queue_checked(plan, strided, x, y, options)) return;
  std::vector<Dense> answers(outs.size());
  std::vector<backend::Output> places;
  for (std::size_t k = 0; k < outs.size(); ++k) {
    answers[k].data.resize(plan.answers * bytes_of(outs[k].dtype));
    answers[k].status.resize(outs[k].status == nullptr ? 0 : plan.answers);
    places.push_back(
        {answers[k].data.data(), outs[k].status == nullptr ? nullptr : answers[k].status.data()});
  }
  run_into(plan, places, x, second_of(y, options), options);
  for (std::size_t k = 0; k < outs.size(); ++k) put(plan, strided[k], answers[k]);
}

}  // namespace

void fold_axes(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
               const ArrayRef* y, const Options& options) {
  if (std::any_of(outs.begin(), outs.end(),
                  [](const OutputRef& o) { return o.strides.rank() > 0; })) {
    return fold_strided(outs, ops, x, y, options);
  }
  const OutputFold into = check_into(outs, ops, x, y, options);
  run_into(into.plan, into.outputs, x, second_of(y, options), options);
}

}  // namespace onefold
