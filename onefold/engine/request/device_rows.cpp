// Functions of slices of arrays on a device: logsumexp, softmax, rms_norm and their kin.
#include <algorithm>
#include <array>
#include <cstring>

#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/plan/check.hpp"
#include "onefold/engine/request/into.hpp"
#include "onefold/engine/request/output.hpp"
#include "onefold/engine/request/row_function.hpp"
#include "onefold/logsumexp.hpp"

namespace onefold {
namespace {

// The name of a plan's op in messages.
const OpRow& row_of(RowFunction f) {
  static const auto rows = [] {
    std::array<OpRow, static_cast<std::size_t>(RowFunction::layer_norm) + 1> all{};
    for (std::size_t k = 1; k < all.size(); ++k) {
      all[k] = find_op("max");
      all[k].name = name_of(static_cast<RowFunction>(k));
    }
    return all;
  }();
  return rows[static_cast<std::size_t>(f)];
}

[[noreturn]] void refuse(RowFunction f, ErrorCode code, const std::string& why) {
  throw Error(code, std::string(name_of(f)) + ": " + why);
}

// Returns a plan whose answers are those of slices; a device folds its function instead of its op.
// If elements have answers, `out` has their places.
Plan plan_of(RowFunction f, const ArrayRef& x, const ArrayRef* out, Options options) {
  options.threads = 0;
  options.target = {};
  // Nests of two arrays have the places of both.
  Plan plan = make_plan(out != nullptr ? "dot" : "max", x, out, options);
  plan.ops = {&row_of(f)};
  plan.results = {is_floating(x.dtype) ? x.dtype : DType::f64};
  plan.function = f;
  return plan;
}

// Sets what a device needs to know of a scale.
void scale_into(Plan& plan, RowFunction f, const ArrayRef& x, const Options& options,
                const NormScale& scale) {
  const std::vector<bool> folded =
      folded_axes(options.axes, x.shape.rank(), "shape " + to_string(x.shape), name_of(f));
  check_scale(f, x, folded, scale);
  plan.scale.eps = scale.eps;
  const auto put = [&](const char* what, const ArrayRef* a, const void*& data, DType& type) {
    if (a == nullptr) return;
    // The k-th element of a slice in memory is the k-th one of its axes in C order.
    int64_t next = 0, extent = 1;
    for (int d = x.shape.rank(); d-- > 0;) {
      if (!folded[static_cast<std::size_t>(d)] || x.shape[d] == 1) continue;
      if (x.strides[d] <= 0 || (next != 0 && x.strides[d] != next * extent)) {
        refuse(f, ErrorCode::unsupported,
               "on a device, slices with a " + std::string(what) +
                   " must be contiguous in C order; copy the array to contiguous memory");
      }
      next = x.strides[d];
      extent = x.shape[d];
    }
    if (a->strides != row_major(a->shape, a->dtype)) {
      refuse(f, ErrorCode::unsupported,
             "on a device, the " + std::string(what) +
                 " must be contiguous; copy it to contiguous memory");
    }
    data = a->data;
    type = a->dtype;
  };
  put("weight", scale.weight, plan.scale.weight, plan.scale.weight_type);
  put("bias", scale.bias, plan.scale.bias, plan.scale.bias_type);
}

// Returns such a plan for a device.
Plan device_plan(RowFunction f, const ArrayRef& x, const ArrayRef* out, const Options& options,
                 const NormScale& scale = {}) {
  const std::string where = name_of(f);
  check_array(x, where);
  const char* const option =
      out != nullptr
          ? option_beside(options, {".axes", ".device", ".stream", ".threads", ".target"})
          : option_beside(options, {".axes", ".keepdims", ".nan", ".device", ".stream", ".threads",
                                    ".target"});
  if (option != nullptr) {
    refuse(f, ErrorCode::bad_option,
           std::string(option) + " is not supported for arrays on a device; leave it out");
  }
  if (!is_floating(x.dtype)) {
    refuse(f, ErrorCode::unsupported,
           std::string("a device supports f16, bf16, f32 and f64, but the array is of type ") +
               name_of(x.dtype) + "; convert it");
  }
  Plan plan = plan_of(f, x, out, options);
  const auto folded = std::ranges::count_if(plan.nest.axes, [](const Axis& a) { return a.folded; });
  if (folded > 1 || plan.nest.repeats != 1 || plan.nest.elements() != plan.elements) {
    refuse(f, ErrorCode::unsupported,
           "on a device the elements of a slice must be equally far apart in memory; copy the "
           "array to contiguous memory");
  }
  if (is_norm(f)) scale_into(plan, f, x, options, scale);
  return backend::checked(std::move(plan));
}

bool is_cuda(const ArrayRef& x, const Options& options) {
  return x.device.type == Device::Type::cuda || options.device.type == Device::Type::cuda;
}
// The answers of an array without elements, wherever it is.
Answer of_nothing(RowFunction f, ArrayRef x, Options options) {
  x.device = options.device = cpu;
  options.stream = nullptr;
  return row_function(f, x, options);
}

void slices_into(RowFunction f, const OutputRef& out, const ArrayRef& x, const Options& options) {
  const bool here = is_cuda(x, options);
  Answers answers;
  if (!here) answers.list.push_back(row_function(f, x, options));
  const Options of_host{.axes = options.axes, .keepdims = options.keepdims};
  const Plan plan = here ? device_plan(f, x, nullptr, options) : plan_of(f, x, nullptr, of_host);
  const std::vector<backend::Output> outputs = check_outputs(plan, {&out, 1});
  if (here) {
    if (plan.elements != 0 && plan.answers != 0) {
      return run_into(plan, outputs, x, nullptr, options);
    }
    answers.list.push_back(of_nothing(f, x, options));
  }
  write_answers(plan, outputs, answers);
}

void elements_into(RowFunction f, const OutputRef& out, const ArrayRef& x, const Options& options,
                   const NormScale& scale = {}) {
  if (out.dtype != x.dtype || out.shape != x.shape) {
    refuse(f, ErrorCode::shape_mismatch,
           std::string("the output is of type ") + name_of(out.dtype) + " and shape " +
               to_string(out.shape) + ", but the array has type " + name_of(x.dtype) +
               " and shape " + to_string(x.shape) + "; both must be equal");
  }
  if (out.status != nullptr) {
    refuse(f, ErrorCode::bad_option, "single elements have no status; leave the status out");
  }
  const Dims dense = row_major(out.shape, out.dtype);
  ArrayRef to{out.data, out.dtype, out.shape, out.strides.rank() != 0 ? out.strides : dense};
  to.device = x.device;
  if (!is_cuda(x, options)) {
    if (to.strides != dense) {
      refuse(f, ErrorCode::bad_option, "an output on the host must be contiguous");
    }
    const Answer answer = row_function(f, x, options, scale);
    std::memcpy(out.data, answer.data.data(), answer.data.size());
    return;
  }
  const Plan plan = device_plan(f, x, &to, options, scale);
  if (plan.elements == 0 || plan.answers == 0) return;
  const backend::Job job{plan, x.data, out.data, {}};
  if (!backend::queue({&job, 1})) {
    refuse(f, ErrorCode::bad_option, "the array and the output must both be on the device");
  }
}

}  // namespace

Answer device_row_function(RowFunction f, const ArrayRef& x, const Options& options) {
  if (is_elementwise(f)) {
    refuse(f, ErrorCode::unsupported,
           std::string("answers for an array on a device stay in device memory; call ") +
               name_of(f) + "_into");
  }
  const Plan plan = device_plan(f, x, nullptr, options);
  if (plan.elements == 0 || plan.answers == 0) return of_nothing(f, x, options);
  Output output(plan);
  const std::vector<backend::Output> places = output.all_places();
  backend::fold({plan, x.data, nullptr, places});
  return std::move(output.take(plan.output).list[0]);
}

void row_function_into(RowFunction f, const OutputRef& out, const ArrayRef& x,
                       const Options& options, const NormScale& scale) {
  is_elementwise(f) ? elements_into(f, out, x, options, scale) : slices_into(f, out, x, options);
}

namespace {

// Returns whether these are contiguous u64 without statuses, of this shape.
bool are_words(DType t, const Dims& shape, const Dims& strides, const Dims& wanted) {
  return t == DType::u64 && shape == wanted &&
         (strides.rank() == 0 || strides == row_major(wanted, DType::u64));
}
void of_states_into(RowFunction f, const OutputRef& out, const ArrayRef& words,
                    const Options& options) {
  const std::string where = name_of(f);
  check_array(words, where);
  if (!is_cuda(words, options)) {
    refuse(f, ErrorCode::bad_option, "the words are on the host; use LogsumexpStates for them");
  }
  if (const char* const option = option_beside(options, {".nan", ".device", ".stream"})) {
    refuse(f, ErrorCode::bad_option,
           std::string(option) + " is not supported by this function; leave it out");
  }
  // The parts, the slices, the words of one.
  const int rank = words.shape.rank();
  Dims wanted, slices;
  wanted.push_back(rank == 0 ? 1 : words.shape[0]);
  for (int d = 1; d + 1 < rank; ++d) slices.push_back(words.shape[d]);
  for (const int64_t n : slices) wanted.push_back(n);
  wanted.push_back(LogsumexpStates::words_each);
  if (!are_words(words.dtype, words.shape, words.strides, wanted)) {
    refuse(f, ErrorCode::shape_mismatch,
           "the words must be contiguous u64 of shape (parts, slices.., 25), and " +
               std::string(name_of(words.dtype)) + " of shape " + to_string(words.shape) +
               " were given");
  }
  if (!is_floating(out.dtype) || out.shape != slices ||
      (out.strides.rank() != 0 && out.strides != row_major(out.shape, out.dtype))) {
    refuse(f, ErrorCode::shape_mismatch,
           "the answers must be contiguous floats of shape " + to_string(slices) + ", and " +
               name_of(out.dtype) + " of shape " + to_string(out.shape) + " were given");
  }
  // As elements of the answers' type, of which a part has one for each slice: its first bytes.
  const auto bytes = static_cast<int64_t>(sizeof(uint64_t) * LogsumexpStates::words_each);
  int64_t n = 1;
  for (const int64_t extent : slices) n *= extent;
  if (n == 0) return;
  if (words.shape[0] == 0) {
    refuse(f, ErrorCode::empty_input,
           "the words of shape " + to_string(words.shape) + " contain no part; pass one or more");
  }
  ArrayRef x{words.data, out.dtype, Dims{words.shape[0], n}, Dims{n * bytes, bytes}};
  x.device = words.device;
  Options of_slices = options;
  of_slices.axes = Axes(0);
  const Plan plan = device_plan(f, x, nullptr, of_slices);
  const backend::Output to{out.data, out.status};
  const backend::Job job{plan, x.data, nullptr, {&to, 1}};
  if (!backend::queue({&job, 1})) {
    refuse(f, ErrorCode::bad_option, "the words and the answers must both be on the device");
  }
}

}  // namespace

void logsumexp_of_states_into(const OutputRef& out, const ArrayRef& words, const Options& options) {
  of_states_into(RowFunction::logsumexp_of_states, out, words, options);
}
void logmeanexp_of_states_into(const OutputRef& out, const ArrayRef& words,
                               const Options& options) {
  of_states_into(RowFunction::logmeanexp_of_states, out, words, options);
}

void gather_logsumexp_into(const OutputRef& words, const ArrayRef& x, const Options& options) {
  constexpr RowFunction f = RowFunction::logsumexp_state;
  if (!is_cuda(x, options)) {
    refuse(f, ErrorCode::bad_option, "the array is on the host; call gather_logsumexp");
  }
  const Plan plan = device_plan(f, x, nullptr, options);
  Dims shape = plan.output;
  shape.push_back(LogsumexpStates::words_each);
  if (words.status != nullptr || !are_words(words.dtype, words.shape, words.strides, shape)) {
    refuse(f, ErrorCode::shape_mismatch,
           "the words must be contiguous u64 of shape " + to_string(shape) +
               " without statuses, and " + name_of(words.dtype) + " of shape " +
               to_string(words.shape) + " were given");
  }
  if (plan.answers == 0) return;
  if (plan.elements == 0) {
    refuse(f, ErrorCode::empty_input,
           "there is nothing to gather; to get an empty state, set all its words to zero");
  }
  const backend::Output to{words.data};
  const backend::Job job{plan, x.data, nullptr, {&to, 1}};
  if (!backend::queue({&job, 1})) {
    refuse(f, ErrorCode::bad_option, "the array and the words must both be on the device");
  }
}

void logsumexp_into(const OutputRef& out, const ArrayRef& x, const Options& options) {
  slices_into(RowFunction::logsumexp, out, x, options);
}
void logmeanexp_into(const OutputRef& out, const ArrayRef& x, const Options& options) {
  slices_into(RowFunction::logmeanexp, out, x, options);
}
void softmax_into(const OutputRef& out, const ArrayRef& x, const Options& options) {
  elements_into(RowFunction::softmax, out, x, options);
}
void log_softmax_into(const OutputRef& out, const ArrayRef& x, const Options& options) {
  elements_into(RowFunction::log_softmax, out, x, options);
}

}  // namespace onefold
