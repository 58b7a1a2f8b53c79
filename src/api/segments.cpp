// Segments of the first axis.
//
//   short    elements are copied beside those of other segments of the same length, and rows of one
//            length are folded together: so a segment costs little more than its elements, however
//            lengths are mixed
//   long     one after another, each by itself; the longest by all threads
//   any      slices of arrays of more axes, or under masks: each as a fold of its own
#include <algorithm>
#include <cstring>
#include <map>

#include "api/output.hpp"
#include "api/segments.hpp"
#include "backend/run.hpp"
#include "onefold/segments.hpp"
#include "parallel.hpp"
#include "plan/check.hpp"

namespace onefold {
namespace {

[[noreturn]] void fail(ErrorCode code, const std::string& message) { throw Error(code, message); }

// Segments from here on are folded where they stand.
constexpr Size longest_row = 512;
// Rows of one length that are folded together.
constexpr Size row_bytes = Size{16} << 10;
// What a thread takes at a time, in bytes; a segment costs as much as some elements.
constexpr Size task_bytes = Size{4} << 20, segment_bytes = 32;

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
std::vector<Size> numbers_of(const ArrayRef& offsets, Size n, const std::string& where) {
  if (offsets.device.type == Device::Type::cuda) {
    fail(ErrorCode::bad_option, where + ": the offsets are on a device, and must be on the host");
  }
  std::vector<Size> numbers(static_cast<std::size_t>(offsets.shape[0]));
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
    before = v;
    numbers[i] = static_cast<Size>(v);
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

// Rows of one length, waiting to be folded together.
struct Bin {
  std::vector<std::byte> rows;
  std::vector<Size> segments;
};

// What one thread folds of a one-dimensional array without holes.
class Segments {
 public:
  Segments(const Plan& plan, const std::byte* x, std::span<const Size> offsets, Output& output)
      : plan_(plan), x_(x), offsets_(offsets), output_(output), places_(output.places()) {
    plan_.threads = 1;
    empty_.resize(static_cast<std::size_t>(plan.layout.words));
    clear(empty_.data(), plan.layout, plan.dtype);
  }

  void fold(Size begin, Size end) {
    for (Size s = begin; s < end; ++s) {
      const Size n = offsets_[s + 1] - offsets_[s];
      if (n == 0) {
        output_.put(plan_, s, empty_.data());
      } else if (n <= longest_row) {
        add(s, n);
      } else if (n * bytes_ < task_bytes) {
        fold_rows(x_ + offsets_[s] * bytes_, n, {&s, 1});
      }
    }
    for (auto& [n, bin] : bins_) flush(n, bin);
  }

  // Rows of n neighbouring elements, whose segments are so numbered.
  void fold_rows(const std::byte* rows, Size n, std::span<const Size> segments) {
    Plan plan = plan_;
    plan.elements = n;
    plan.answers = segments.size();
    plan.nest = {.bytes = bytes_};
    const auto bytes = static_cast<int64_t>(bytes_);
    const auto row = static_cast<int64_t>(n) * bytes;
    plan.nest.axes = {{plan.answers, {row, row}, 1, false},
                      {n, {bytes, bytes}, plan.indexed ? 1 : 0, true}};
    make_plain(plan.nest);
    std::vector<std::byte*> straight;
    values_.resize(plan.ops.size());
    for (std::size_t k = 0; k < plan.ops.size(); ++k) {
      values_[k].resize(plan.answers * bytes_of(plan.results[k]));
      straight.push_back(values_[k].data());
    }
    by_state_.assign(plan.answers, 0);
    backend::run(
        plan, rows, nullptr,
        [&](Size i, const int64_t* state) {
          by_state_[i] = 1;
          output_.put(plan, segments[i], state);
        },
        straight);
    for (std::size_t k = 0; k < plan.ops.size(); ++k) {
      const std::size_t size = bytes_of(plan.results[k]);
      for (Size i = 0; i < plan.answers; ++i) {
        if (by_state_[i] != 0) continue;
        std::memcpy(places_[k] + segments[i] * size, values_[k].data() + i * size, size);
      }
    }
  }

 private:
  void add(Size segment, Size n) {
    if (bin_of_.empty()) bin_of_.resize(longest_row + 1);
    Bin*& bin = bin_of_[n];
    if (bin == nullptr) {
      bin = &bins_[n];
      bin->rows.reserve(row_bytes + longest_row * bytes_);
    }
    const std::byte* const from = x_ + offsets_[segment] * bytes_;
    bin->rows.insert(bin->rows.end(), from, from + n * bytes_);
    bin->segments.push_back(segment);
    if (bin->rows.size() >= row_bytes) flush(n, *bin);
  }
  void flush(Size n, Bin& bin) {
    if (!bin.segments.empty()) fold_rows(bin.rows.data(), n, bin.segments);
    bin.rows.clear();
    bin.segments.clear();
  }

  Plan plan_;
  const Size bytes_ = bytes_of(plan_.dtype);
  const std::byte* const x_;
  const std::span<const Size> offsets_;
  Output& output_;
  const std::vector<std::byte*> places_;
  std::vector<int64_t> empty_;
  std::map<Size, Bin> bins_;
  std::vector<Bin*> bin_of_;
  std::vector<std::vector<std::byte>> values_;
  std::vector<uint8_t> by_state_;
};

// Neighbours of one axis, all of which are taken.
void fold_runs(const Plan& plan, const ArrayRef& x, std::span<const Size> offsets, Output& output) {
  const auto* const data = static_cast<const std::byte*>(x.data);
  const Size count = offsets.size() - 1, bytes = bytes_of(x.dtype);
  // Tasks of about equal cost.
  std::vector<Size> begins{0};
  Size cost = 0;
  for (Size s = 0; s < count; ++s) {
    const Size here = (offsets[s + 1] - offsets[s]) * bytes;
    cost += segment_bytes + (here < task_bytes ? here : 0);
    if (cost >= task_bytes) {
      begins.push_back(s + 1);
      cost = 0;
    }
  }
  if (begins.back() != count) begins.push_back(count);
  parallel(begins.size() - 1, plan.threads, [&](std::size_t task) {
    Segments(plan, data, offsets, output).fold(begins[task], begins[task + 1]);
  });
  // The longest, by all threads each.
  for (Size s = 0; s < count; ++s) {
    const Size n = offsets[s + 1] - offsets[s];
    if (n * bytes < task_bytes || n <= longest_row) continue;
    Plan one = plan;
    one.elements = n;
    one.answers = 1;
    one.nest = {.axes = {{n,
                          {static_cast<int64_t>(bytes), static_cast<int64_t>(bytes)},
                          plan.indexed ? 1 : 0,
                          true}},
                .bytes = bytes};
    backend::run(one, data + offsets[s] * bytes, nullptr,
                 [&](Size, const int64_t* state) { output.put(plan, s, state); });
  }
}

// Each segment as a fold of its own, along the first axis.
void fold_slices(const Plan& plan, const ArrayRef& x, std::span<const Size> offsets,
                 const Options& options, Output& output) {
  const Size count = offsets.size() - 1, each = plan.answers;
  const bool apart = count > 1 && plan.nest.size() / count * bytes_of(x.dtype) < task_bytes;
  const std::vector<std::byte*> places = output.places();
  parallel(count, apart ? plan.threads : 1, [&](std::size_t s) {
    Options own = options;
    if (apart) own.threads = 1;
    const auto advance = [&](const ArrayRef& from, int64_t stride) {
      ArrayRef part = from;
      part.data =
          static_cast<const std::byte*>(from.data) + static_cast<int64_t>(offsets[s]) * stride;
      return part;
    };
    ArrayRef part = advance(x, x.strides[0]);
    part.shape[0] = static_cast<int64_t>(offsets[s + 1] - offsets[s]);
    if (own.where && own.where->array.shape.rank() == x.shape.rank() &&
        own.where->array.shape[0] != 1) {
      Mask& mask = *own.where;
      const int64_t stride = mask.array.strides[0];
      if (mask.bits) {
        mask.first += offsets[s] * static_cast<Size>(stride);
      } else {
        mask.array = advance(mask.array, stride);
      }
      mask.array.shape[0] = part.shape[0];
    }
    const Plan one = make_plan(plan.ops, part, nullptr, own);
    std::vector<std::byte*> straight;
    for (std::size_t k = 0; k < places.size(); ++k) {
      straight.push_back(places[k] + s * each * bytes_of(plan.results[k]));
    }
    backend::run(
        one, part.data, nullptr,
        [&](Size i, const int64_t* state) { output.put(one, s * each + i, state); },
        one.elements == 0 ? std::span<std::byte* const>() : straight);
  });
}

// As a device wants them; who folds says with bad_offsets what is wrong with their values.
backend::Segments segments_of(const ArrayRef& x, const ArrayRef& offsets, const Options& options,
                              const std::string& where) {
  const auto bytes = static_cast<int64_t>(bytes_of(offsets.dtype));
  if (offsets.strides[0] != bytes && offsets.shape[0] > 1) {
    fail(ErrorCode::bad_option, where + ": the offsets are " + std::to_string(offsets.strides[0]) +
                                    " bytes apart; a device wants them side by side");
  }
  backend::Segments segments{.offsets = offsets.data,
                             .narrow = offsets.dtype == DType::i32,
                             .count = static_cast<Size>(offsets.shape[0]) - 1,
                             .nest = {.bytes = bytes_of(x.dtype)}};
  Dims mask = x.strides;
  if (options.where) mask = mask_strides(x, *options.where, where);
  int64_t step = 1;
  for (int d = x.shape.rank(); d-- > 0;) {
    const Axis axis{.extent = static_cast<Size>(x.shape[d]),
                    .stride = {x.strides[d], x.strides[d], options.where ? mask[d] : 0},
                    .step = d == 0 ? 1 : step,
                    .folded = d == 0};
    step *= x.shape[d];
    segments.nest.axes.insert(segments.nest.axes.begin(), axis);
  }
  return segments;
}

// The number of segments, then the extents of the other axes.
Dims shape_of(const Plan& plan, Size segments) {
  Dims shape(static_cast<int64_t>(segments));
  for (const int64_t extent : plan.output) shape.push_back(extent);
  return shape;
}

Answers fold_on_device(const Plan& plan, const ArrayRef& x, const ArrayRef& offsets,
                       const Options& options, const std::string& where) {
  const backend::Segments segments = segments_of(x, offsets, options, where);
  const Size each = plan.answers;
  Plan all = plan;
  all.answers = segments.count * each;
  Output output(all);
  backend::segments(all, segments, x.data, output.all_places());
  const Status* const found = output.all_places()[0].status;
  for (Size s = 0; each != 0 && s < segments.count; ++s) {
    if (found[s * each] != Status::bad_offsets) continue;
    fail(ErrorCode::bad_option, where + ": the offsets of segment " + std::to_string(s) +
                                    " fall, or leave the first axis, which has " +
                                    std::to_string(x.shape[0]) + " elements");
  }
  return output.take(shape_of(plan, segments.count));
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
  backend::segments(plan, segments, x.data, places);
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
  if (plan.device.type == Device::Type::cuda) {
    return fold_on_device(plan, x, offsets, options, where);
  }
  const std::vector<Size> numbers = numbers_of(offsets, static_cast<Size>(x.shape[0]), where);
  const Size count = numbers.size() - 1;
  Plan all = plan;
  all.answers *= count;
  Output output(all);
  const bool runs = x.shape.rank() == 1 && plan.aligned && !plan.where.selects() &&
                    (x.strides[0] == static_cast<int64_t>(bytes_of(x.dtype)) || x.shape[0] <= 1);
  if (runs) {
    fold_runs(plan, x, numbers, output);
  } else {
    Options own = options;
    own.axes = {0};
    fold_slices(plan, x, numbers, own, output);
  }
  return output.take(shape_of(plan, count));
}

}  // namespace onefold
