// Folds segments of the first axis.
//
//   short    elements are copied into rows, and rows of one length are folded together: so a short
//            segment costs little more than its elements, however lengths are mixed
//   long     one after another, each by itself; the longest by all threads
//   any      segments of arrays of more axes, or under masks: each as a fold of its own
#include "onefold/cpu/segments.hpp"

#include <algorithm>
#include <map>

#include "onefold/cpu/run.hpp"
#include "onefold/cpu/weighted.hpp"
#include "onefold/engine/plan/weighted.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cpu_backend {
namespace {

using backend::Job;
using backend::Output;

// Segments of this length and longer are folded in place.
constexpr Size longest_row = 512;
// Bytes of the rows of one length that are collected before they are folded.
constexpr Size row_bytes = Size{16} << 10;
// The bytes of a thread's task; each segment counts as segment_bytes more than its elements.
constexpr Size task_bytes = Size{4} << 20, segment_bytes = 32;

std::span<const int64_t> offsets_of(const Job& job) {
  return {static_cast<const int64_t*>(job.segments->offsets), job.segments->count + 1};
}

// Folds one segment as a fold of its own, by `threads` threads.
void fold_alone(const Job& job, Size segment, int threads) {
  const std::span<const int64_t> offsets = offsets_of(job);
  Plan plan = job.plan;
  plan.threads = threads;
  plan.answers /= job.segments->count;
  plan.elements = static_cast<Size>(offsets[segment + 1] - offsets[segment]);
  plan.nest = job.segments->nest;
  Axis& cut = plan.nest.axes[0];
  for (int k = 0; k < 3; ++k) plan.nest.origin[k] += offsets[segment] * cut.stride[k];
  cut.extent = plan.elements;
  if (!plan.indexed) cut.step = 0;
  if (plan.nest.size() != 0) make_plain(plan.nest);
  std::vector<Output> outputs;
  for (std::size_t k = 0; k < job.outputs.size(); ++k) {
    const Size first = segment * plan.answers;
    auto* const data = static_cast<std::byte*>(job.outputs[k].data);
    outputs.push_back({data + first * bytes_of(plan.results[k]), job.outputs[k].status + first});
  }
  fold({.plan = plan, .x = job.x, .y = job.y, .outputs = outputs});
}

// Rows of one length that wait to be folded together: of x, the second array and the weights.
struct Bin {
  std::vector<std::byte> rows[3];
  std::vector<Size> segments;
};

// The segments of contiguous one-dimensional arrays that one thread folds.
class SegmentFolder {
 public:
  explicit SegmentFolder(const Job& job)
      : job_(job),
        plan_(job.plan),
        arrays_{static_cast<const std::byte*>(job.x), static_cast<const std::byte*>(job.y),
                plan_.weighted == nullptr ? nullptr : plan_.weighted->data},
        offsets_(offsets_of(job)),
        empty_(static_cast<Size>(plan_.layout.words)),
        values_(plan_.ops.size()),
        statuses_(plan_.ops.size()) {
    plan_.threads = 1;
    clear(empty_.data(), plan_.layout, plan_.dtype);
  }

  void fold(Size begin, Size end) {
    for (Size s = begin; s < end; ++s) {
      const auto n = static_cast<Size>(offsets_[s + 1] - offsets_[s]);
      if (n == 0 && plan_.weighted == nullptr) {
        job_.put(s, 1, empty_.data());
      } else if (n <= longest_row) {
        add(s, n);
      } else if (n * bytes_ < task_bytes) {
        fold_alone(s, n);
      }
    }
    for (auto& [n, bin] : bins_) flush(n, bin);
  }
  // Folds a segment of n elements where it is, by `threads` threads.
  void fold_alone(Size segment, Size n, int threads = 1) {
    const std::byte* rows[3] = {};
    each_array([&](int k) { rows[k] = from(k, segment); });
    plan_.threads = threads;
    fold_rows(rows, n, {&segment, 1});
    plan_.threads = 1;
  }

 private:
  // Calls f with the numbers of the arrays that there are.
  template <class F>
  void each_array(F f) const {
    for (int k = 0; k < 3; ++k) {
      if (k == 0 || (k == 1 ? plan_.inputs == 2 : plan_.weighted != nullptr)) f(k);
    }
  }
  const std::byte* from(int array, Size segment) const {
    return arrays_[array] + static_cast<Size>(offsets_[segment]) * bytes_;
  }
  void add(Size segment, Size n) {
    if (bin_of_.empty()) bin_of_.resize(longest_row + 1);
    Bin*& bin = bin_of_[n];
    if (bin == nullptr) {
      bin = &bins_[n];
      each_array([&](int k) { bin->rows[k].reserve(row_bytes + longest_row * bytes_); });
    }
    each_array([&](int k) {
      const std::byte* const row = from(k, segment);
      bin->rows[k].insert(bin->rows[k].end(), row, row + n * bytes_);
    });
    bin->segments.push_back(segment);
    if (bin->rows[0].size() >= row_bytes) flush(n, *bin);
  }
  void flush(Size n, Bin& bin) {
    const std::byte* const rows[] = {bin.rows[0].data(), bin.rows[1].data(), bin.rows[2].data()};
    if (!bin.segments.empty()) fold_rows(rows, n, bin.segments);
    for (std::vector<std::byte>& rows : bin.rows) rows.clear();
    bin.segments.clear();
  }
  // Folds rows of n contiguous elements; row i is the segment with number segments[i].
  void fold_rows(const std::byte* const (&rows)[3], Size n, std::span<const Size> segments) {
    plan_.elements = n;
    plan_.answers = segments.size();
    plan_.nest = {.bytes = bytes_};
    add_axis(plan_.nest, plan_.answers, n, false);
    add_axis(plan_.nest, n, 1, true);
    if (n != 1 && !plan_.indexed) plan_.nest.axes.back().step = 0;
    if (plan_.weighted != nullptr) weigh_rows(rows[2]);
    std::vector<Output> outputs;
    for (std::size_t k = 0; k < plan_.ops.size(); ++k) {
      values_[k].resize(plan_.answers * bytes_of(plan_.results[k]));
      statuses_[k].assign(plan_.answers, Status::ok);
      outputs.push_back({values_[k].data(), statuses_[k].data()});
    }
    cpu_backend::fold({.plan = plan_, .x = rows[0], .y = rows[1], .outputs = outputs});
    for (std::size_t k = 0; k < plan_.ops.size(); ++k) {
      const Size size = bytes_of(plan_.results[k]);
      auto* const to = static_cast<std::byte*>(job_.outputs[k].data);
      for (Size i = 0; i < segments.size(); ++i) {
        std::memcpy(to + segments[i] * size, values_[k].data() + i * size, size);
        job_.outputs[k].status[segments[i]] = statuses_[k][i];
      }
    }
  }
  void weigh_rows(const std::byte* weights) {
    Weighted rows = *plan_.weighted;
    const auto b = static_cast<int64_t>(bytes_), row = b * static_cast<int64_t>(plan_.elements);
    rows.data = weights;
    rows.axes = {{.extent = plan_.answers, .stride = {row, row, row}, .step = 1},
                 {.extent = plan_.elements, .stride = {b, b, b}, .folded = true}};
    plan_.weighted = std::make_shared<const Weighted>(std::move(rows));
  }

  const Job& job_;
  Plan plan_;
  const Size bytes_ = bytes_of(plan_.dtype);
  const std::byte* const arrays_[3];
  const std::span<const int64_t> offsets_;
  std::vector<int64_t> empty_;
  std::map<Size, Bin> bins_;
  std::vector<Bin*> bin_of_;
  std::vector<std::vector<std::byte>> values_;
  std::vector<std::vector<Status>> statuses_;
};

// Folds segments of one axis with contiguous elements and no mask.
void fold_runs(const Job& job) {
  const std::span<const int64_t> offsets = offsets_of(job);
  const Size count = job.segments->count, bytes = job.segments->nest.bytes;
  const auto elements = [&](Size s) { return static_cast<Size>(offsets[s + 1] - offsets[s]); };
  // Divides the segments into tasks of about equal cost.
  std::vector<Size> begins{0};
  Size cost = 0;
  for (Size s = 0; s < count; ++s) {
    const Size here = elements(s) * bytes;
    cost += segment_bytes + (here < task_bytes ? here : 0);
    if (cost >= task_bytes) {
      begins.push_back(s + 1);
      cost = 0;
    }
  }
  if (begins.back() != count) begins.push_back(count);
  parallel(begins.size() - 1, job.plan.threads,
           [&](std::size_t task) { SegmentFolder(job).fold(begins[task], begins[task + 1]); });
  // The longest segments, one after another, each by all threads.
  for (Size s = 0; s < count; ++s) {
    if (elements(s) * bytes >= task_bytes && elements(s) > longest_row) {
      SegmentFolder(job).fold_alone(s, elements(s), job.plan.threads);
    }
  }
}

}  // namespace

void fold_segments(const Job& job) {
  const auto& [offsets, narrow, count, nest] = *job.segments;
  if (job.plan.answers == 0) return;
  const Axis& cut = nest.axes[0];
  const bool dense = cut.extent <= 1 || (is_dense(cut, nest.bytes) &&
                                         (job.plan.inputs == 1 || cut.stride[1] == cut.stride[0]));
  const bool is_line = nest.axes.size() == 1 && dense && job.plan.aligned,
             takes_all = !job.plan.where.selects();
  if (job.plan.weighted != nullptr) {
    const Weighted& w = *job.plan.weighted;
    const bool dense_weights =
        w.axes.size() == 1 && w.axes[0].stride[2] == static_cast<int64_t>(nest.bytes);
    return is_line && takes_all && w.aligned && dense_weights ? fold_runs(job) : fold_weighted(job);
  }
  if (is_line && takes_all) return fold_runs(job);
  const bool apart = count > 1 && nest.size() / count * nest.bytes < task_bytes;
  const int threads = apart ? 1 : job.plan.threads;
  parallel(count, apart ? job.plan.threads : 1,
           [&](std::size_t s) { fold_alone(job, s, threads); });
}

}  // namespace onefold::cpu_backend
