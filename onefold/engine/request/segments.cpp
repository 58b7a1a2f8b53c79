// Folds segments of the first axis.
#include "onefold/engine/request/segments.hpp"
#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/plan/weighted.hpp"
#include "onefold/engine/request/borders.hpp"
#include "onefold/engine/request/folds.hpp"
#include "onefold/engine/request/into.hpp"
#include "onefold/engine/request/output.hpp"
#include "onefold/engine/request/repeated_segments.hpp"
#include "onefold/engine/request/weights.hpp"

namespace onefold {

void check_offsets(const ArrayRef& offsets, const std::string& where) {
  check_array(offsets, where + ": the offsets");
  if (offsets.dtype != DType::i32 && offsets.dtype != DType::i64) {
    throw Error(ErrorCode::type_mismatch, where + ": the offsets are " + name_of(offsets.dtype) +
                                              "; they must be of i32 or i64");
  }
  if (offsets.shape.rank() != 1 || offsets.shape[0] < 1) {
    throw Error(ErrorCode::shape_mismatch,
                where + ": the offsets have shape " + to_string(offsets.shape) +
                    "; pass one dimension, with one more offset than there are segments");
  }
}
std::vector<int64_t> numbers_of(const ArrayRef& offsets, Size n, const std::string& where) {
  if (offsets.device.type == Device::Type::cuda) {
    throw Error(ErrorCode::bad_option,
                where + ": the offsets are on a device; copy them to the host");
  }
  std::vector<int64_t> numbers = borders_of(offsets);
  int64_t before = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const int64_t v = numbers[i];
    if (v < before || static_cast<Size>(v) > n) {
      throw Error(ErrorCode::bad_option,
                  where + ": offset " + std::to_string(i) + " is " + std::to_string(v) +
                      "; it must be " + std::to_string(before) + ".." + std::to_string(n) +
                      ", because offsets must not decrease and must lie within the first axis");
    }
    before = v;
  }
  return numbers;
}

namespace {

void refuse_options(const std::string& where, Options given, bool queued) {
  if (queued) given.stream = nullptr;
  const char* const option =
      option_beside(given, {".nan", ".result", ".wide", ".ddof", ".where", ".weights", ".fweights",
                            ".initial", ".empty_nan", ".device", ".threads", ".target"});
  if (option == nullptr) return;
  throw Error(ErrorCode::bad_option,
              where + ": " + option + " is not supported for segments; leave it out");
}

// The first axis is folded, and the others are kept.
Nest nest_of(const ArrayRef& x, const ArrayRef& y, const Options& options,
             const std::string& where) {
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
        .stride = {x.strides[d], y.strides[d], options.where ? mask[d] : 0},
        .step = d == 0 ? 1 : step,
        .folded = d == 0};
    step *= x.shape[d];
  }
  return nest;
}

}  // namespace

SegmentsFold plan_all_segments(Plan one, const ArrayRef& x, const ArrayRef* y,
                               const ArrayRef& offsets, const Options& options) {
  SegmentsFold s{.plan = std::move(one)};
  const std::string where = names_of(s.plan.ops);
  const auto bytes = static_cast<int64_t>(bytes_of(offsets.dtype));
  s.segments = {.offsets = offsets.data,
                .narrow = offsets.dtype == DType::i32,
                .count = static_cast<Size>(offsets.shape[0]) - 1,
                .nest = nest_of(x, y != nullptr ? *y : x, options, where)};
  if (s.plan.device.type != Device::Type::cuda) {
    s.numbers = numbers_of(offsets, static_cast<Size>(x.shape[0]), where);
    s.segments.offsets = s.numbers.data();
    s.segments.narrow = false;
  } else if (offsets.strides[0] != bytes && offsets.shape[0] > 1) {
    throw Error(ErrorCode::bad_option,
                where + ": the offsets are " + std::to_string(offsets.strides[0]) +
                    " bytes apart; on a device they must be contiguous, so copy them");
  }
  Dims shape(static_cast<int64_t>(s.segments.count));
  for (const int64_t extent : s.plan.output) shape.push_back(extent);
  s.plan.output = shape;
  s.plan.answers *= s.segments.count;
  return s;
}

void refuse_bad_offsets(const Plan& plan, const ArrayRef& x, Size segments, const Status* found) {
  for (Size a = 0; a < plan.answers; ++a) {
    if (found[a] != Status::bad_offsets) continue;
    throw Error(ErrorCode::bad_option, names_of(plan.ops) + ": the offsets of segment " +
                                           std::to_string(a / (plan.answers / segments)) +
                                           " decrease, or lie outside the first axis, which has " +
                                           std::to_string(x.shape[0]) + " elements");
  }
}

void check_segments(const std::string& where, const ArrayRef& x, const ArrayRef& offsets,
                    const Options& options, bool queued) {
  refuse_options(where, options, queued);
  check_array(x, where);
  if (x.shape.rank() == 0) {
    throw Error(ErrorCode::shape_mismatch,
                where + ": a single number has no axis to divide into segments");
  }
  check_offsets(offsets, where);
}

namespace {

Plan plan_of_one(std::string_view ops, const ArrayRef& x, const ArrayRef* y,
                 const ArrayRef& offsets, const Options& options, bool queued) {
  check_segments(names_of(parse_ops(ops)), x, offsets, options, queued);
  Options own = options;
  own.axes = {0};
  return backend::checked(plan_any(ops, x, y, own));
}

// Calls f(ops, y, options). If the mean alone is asked for, weights become the second array of
// `average`.
template <class F>
auto with_weights(std::string_view ops, const ArrayRef& x, const ArrayRef* y,
                  const Options& options, F f) {
  if (y != nullptr || !options.weights || is_weighted(ops, y, options)) return f(ops, y, options);
  constexpr std::string_view average = "average";
  const ArrayRef second = second_of_weights(parse_ops(average), x, options);
  Options own = options;
  own.weights.reset();
  return f(average, &second, own);
}

void run(const SegmentsFold& s, const ArrayRef& x, const ArrayRef* y,
         std::span<const backend::Output> places) {
  backend::fold({.plan = s.plan,
                 .x = x.data,
                 .y = y != nullptr ? y->data : nullptr,
                 .outputs = places,
                 .segments = &s.segments});
}

Answers fold_all(const SegmentsFold& s, std::string_view ops, const ArrayRef& x, const ArrayRef* y,
                 const Options& options) {
  Output output(s.plan);
  const std::vector<backend::Output> places = output.all_places();
  if (options.fweights && s.plan.device.type != Device::Type::cuda) {
    fold_repeated(s.plan, s.numbers, ops, x, options, places);
    return output.take(s.plan.output);
  }
  run(s, x, y, places);
  if (s.plan.device.type == Device::Type::cuda) {
    refuse_bad_offsets(s.plan, x, s.segments.count, places[0].status);
  }
  Answers answers = output.take(s.plan.output);
  if (options.fweights) refuse_bad_weights(answers);
  return answers;
}

}  // namespace

Plan plan_segments(std::string_view ops, const ArrayRef& x, const ArrayRef& offsets,
                   const Options& options) {
  return plan_of_one(ops, x, nullptr, offsets, options, false);
}

Answers fold_segments(std::string_view ops, const ArrayRef& x, const ArrayRef* y,
                      const ArrayRef& offsets, const Options& options) {
  Answers answers = with_weights(
      ops, x, y, options, [&](std::string_view names, const ArrayRef* b, const Options& own) {
        Plan one = plan_of_one(names, x, b, offsets, own, false);
        return fold_all(plan_all_segments(std::move(one), x, b, offsets, own), names, x, b, own);
      });
  if (options.weights) name_answers(answers, ops);
  return answers;
}

void fold_segments(std::span<const OutputRef> outs, std::string_view ops, const ArrayRef& x,
                   const ArrayRef* y, const ArrayRef& offsets, const Options& options) {
  with_weights(ops, x, y, options,
               [&](std::string_view names, const ArrayRef* b, const Options& own) {
                 Plan one = plan_of_one(names, x, b, offsets, own, true);
                 const SegmentsFold s = plan_all_segments(std::move(one), x, b, offsets, own);
                 if (s.plan.device.type != Device::Type::cuda) {
                   const std::vector<backend::Output> places = check_outputs(s.plan, outs);
                   return write_answers(s.plan, places, fold_all(s, names, x, b, own));
                 }
                 run(s, x, b, check_device_outputs(s.plan, outs));
               });
}

}  // namespace onefold
