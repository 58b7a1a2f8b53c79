// Segments of the first axis.
#include <cstring>

#include "api/output.hpp"
#include "api/segments.hpp"
#include "backend/run.hpp"
#include "onefold/segments.hpp"
#include "plan/check.hpp"

namespace onefold {
namespace {

[[noreturn]] void fail(ErrorCode code, const std::string& message) { throw Error(code, message); }

void check_offsets(const ArrayRef& offsets, const std::string& where) {
  check_array(offsets, where + ": the offsets");
  if (offsets.dtype != DType::i32 && offsets.dtype != DType::i64) {
    fail(ErrorCode::type_mismatch,
         where + ": the offsets are of " + name_of(offsets.dtype) + "; they must be of i32 or i64");
  }
  if (offsets.shape.rank() != 1 || offsets.shape[0] < 1) {
    fail(ErrorCode::shape_mismatch, where + ": the offsets have shape " + to_string(offsets.shape) +
                                        "; write one more than there are segments");
  }
}
// A copy: another thread may write to the offsets.
std::vector<int64_t> numbers_of(const ArrayRef& offsets, Size n, const std::string& where) {
  if (offsets.device.type == Device::Type::cuda) {
    fail(ErrorCode::bad_option, where + ": the offsets are on a device, and must be on the host");
  }
  std::vector<int64_t> numbers(static_cast<std::size_t>(offsets.shape[0]));
  const auto* from = static_cast<const std::byte*>(offsets.data);
  int64_t before = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::byte* p = from + static_cast<int64_t>(i) * offsets.strides[0];
    int64_t v = 0;
    if (offsets.dtype == DType::i32) {
      int32_t narrow = 0;
      std::memcpy(&narrow, p, sizeof narrow);
      v = narrow;
    } else {
      std::memcpy(&v, p, sizeof v);
    }
    if (v < before || static_cast<Size>(v) > n) {
      fail(ErrorCode::bad_option, where + ": offset " + std::to_string(i) + " is " +
                                      std::to_string(v) + "; it must be " + std::to_string(before) +
                                      ".." + std::to_string(n) + ", for offsets rise and stay " +
                                      "within the first axis");
    }
    before = numbers[i] = v;
  }
  return numbers;
}

void refuse_options(const std::string& where, const Options& o) {
  const char* const option = !o.axes.all()         ? ".axes"
                             : o.keepdims          ? ".keepdims"
                             : o.first != 0        ? ".first"
                             : o.weights           ? ".weights"
                             : o.fweights          ? ".fweights"
                             : o.stream != nullptr ? ".stream"
                             : o.nccl != nullptr   ? ".nccl"
                                                   : nullptr;
  if (option == nullptr) return;
  fail(ErrorCode::bad_option, where + ": " + option + " has no meaning for segments; leave it out");
}

// The first axis is folded, and the others are kept.
Nest nest_of(const ArrayRef& x, const Options& options, const std::string& where) {
  Nest nest{.bytes = bytes_of(x.dtype)};
  Dims mask = x.strides;
  if (options.where) {
    mask = mask_strides(x, *options.where, where);
    nest.origin[2] = static_cast<int64_t>(options.where->first);
  }
  int64_t step = 1;
  nest.axes.resize(static_cast<std::size_t>(x.shape.rank()));
  for (int d = x.shape.rank(); d-- > 0;) {
    nest.axes[static_cast<std::size_t>(d)] = {
        .extent = static_cast<Size>(x.shape[d]),
        .stride = {x.strides[d], x.strides[d], options.where ? mask[d] : 0},
        .step = d == 0 ? 1 : step,
        .folded = d == 0};
    step *= x.shape[d];
  }
  return nest;
}

// As a device wants them; who folds says with bad_offsets what is wrong with their values.
backend::Segments segments_of(const ArrayRef& x, const ArrayRef& offsets, const Options& options,
                              const std::string& where) {
  const auto bytes = static_cast<int64_t>(bytes_of(offsets.dtype));
  if (offsets.strides[0] != bytes && offsets.shape[0] > 1) {
    fail(ErrorCode::bad_option, where + ": the offsets are " + std::to_string(offsets.strides[0]) +
                                    " bytes apart; a device wants them side by side");
  }
  return {.offsets = offsets.data,
          .narrow = offsets.dtype == DType::i32,
          .count = static_cast<Size>(offsets.shape[0]) - 1,
          .nest = nest_of(x, options, where)};
}

// The number of segments, then the extents of the other axes.
Dims shape_of(const Plan& plan, Size segments) {
  Dims shape(static_cast<int64_t>(segments));
  for (const int64_t extent : plan.output) shape.push_back(extent);
  return shape;
}

// A device's answers, whose statuses say where offsets are bad.
void refuse_bad_offsets(const Plan& plan, const ArrayRef& x, Size segments, const Status* found,
                        const std::string& where) {
  for (Size a = 0; a < plan.answers; ++a) {
    if (found[a] != Status::bad_offsets) continue;
    fail(ErrorCode::bad_option, where + ": the offsets of segment " +
                                    std::to_string(a / (plan.answers / segments)) +
                                    " fall, or leave the first axis, which has " +
                                    std::to_string(x.shape[0]) + " elements");
  }
}

}  // namespace

void fold_segments_into(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
                        const ArrayRef& offsets, const Options& options) {
  const std::vector<const OpRow*> rows = parse_ops(ops);
  const std::string where = names_of(rows);
  Options own = options;
  own.stream = nullptr;
  refuse_options(where, own);
  check_array(x, where);
  check_offsets(offsets, where);
  own = options;
  own.axes = {0};
  if (x.shape.rank() == 0) {
    fail(ErrorCode::shape_mismatch, where + ": a single number has no axis to cut into segments");
  }
  Plan plan = backend::checked(make_plan(rows, x, nullptr, own));
  if (plan.device.type != Device::Type::cuda) {
    fail(ErrorCode::bad_option,
         where + ": fold_segments_into is for arrays on a device; here use fold_segments");
  }
  const backend::Segments segments = segments_of(x, offsets, options, where);
  const Dims shape = shape_of(plan, segments.count);
  plan.answers *= segments.count;
  std::vector<backend::Output> places;
  for (std::size_t k = 0; k < outs.size(); ++k) {
    const bool fits = k < rows.size() && outs[k].dtype == plan.results[k] &&
                      outs[k].shape == shape && outs[k].status != nullptr;
    if (!fits || outs.size() != rows.size()) {
      fail(ErrorCode::shape_mismatch, where +
                                          ": each op wants an output of its type and of shape " +
                                          to_string(shape) + ", with statuses");
    }
    places.push_back({outs[k].data, outs[k].status});
  }
  backend::fold({.plan = plan, .x = x.data, .outputs = places, .segments = &segments});
}

Plan plan_segments(std::string_view ops, const ArrayRef& x, const ArrayRef& offsets,
                   const Options& options) {
  const std::vector<const OpRow*> rows = parse_ops(ops);
  const std::string where = names_of(rows);
  refuse_options(where, options);
  check_array(x, where);
  if (x.shape.rank() == 0) {
    fail(ErrorCode::shape_mismatch, where + ": a single number has no axis to cut into segments");
  }
  check_offsets(offsets, where);
  Options own = options;
  own.axes = {0};
  return backend::checked(make_plan(rows, x, nullptr, own));
}

Answers fold_segments(std::string_view ops, const ArrayRef& x, const ArrayRef& offsets,
                      const Options& options) {
  const Plan plan = plan_segments(ops, x, offsets, options);
  const std::string where = names_of(plan.ops);
  const bool on_device = plan.device.type == Device::Type::cuda;
  std::vector<int64_t> numbers;
  backend::Segments segments;
  if (on_device) {
    segments = segments_of(x, offsets, options, where);
  } else {
    numbers = numbers_of(offsets, static_cast<Size>(x.shape[0]), where);
    segments = {
        .offsets = numbers.data(), .count = numbers.size() - 1, .nest = nest_of(x, options, where)};
  }
  Plan all = plan;
  all.answers *= segments.count;
  Output output(all);
  const std::vector<backend::Output> places = output.all_places();
  backend::fold({.plan = all, .x = x.data, .outputs = places, .segments = &segments});
  if (on_device) refuse_bad_offsets(all, x, segments.count, places[0].status, where);
  return output.take(shape_of(plan, segments.count));
}

}  // namespace onefold
