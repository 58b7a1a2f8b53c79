#include "backend/cpu/labels.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "backend/cpu/read_labels.hpp"
#include "backend/cpu/segments.hpp"
#include "onefold/error.hpp"

namespace onefold::cpu_backend {
namespace {

using backend::Job;

// Returns whether the first 4,096 labels never decrease.
bool begins_rising(const Job& job) {
  constexpr Size some = 4096;
  bool rising = true;
  Size before = 0;
  over_labels(*job.labels, std::min(job.plan.elements, some), [&](Size, Size group) {
    rising = before <= group;
    before = group;
    return rising;
  });
  return rising;
}

[[noreturn]] void refuse(const Job& job) {
  job.labels->refuse(job.labels->data);
  throw Error(ErrorCode::bad_option,
              names_of(job.plan.ops) + ": the labels were written to while they were counted");
}

// Computes where each group begins among the sorted elements; returns whether labels never
// decrease.
bool count_labels(const Job& job, std::vector<int64_t>& offsets) {
  const Size groups = offsets.size() - 1;
  bool rising = true;
  Size before = 0, good = 0;
  over_labels(*job.labels, job.plan.elements, [&](Size, Size group) {
    if (group >= groups) return false;
    rising &= before <= group;
    before = group;
    ++offsets[group + 1];
    ++good;
    return true;
  });
  if (good != job.plan.elements) refuse(job);
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return rising;
}

// next: the index at which each group's next element is stored
template <std::size_t bytes>
void sort_elements(const Job& job, std::vector<int64_t>& next, std::byte* to) {
  const auto* const x = static_cast<const std::byte*>(job.x);
  const Size n = job.plan.elements, groups = next.size() - 1;
  over_labels(*job.labels, n, [&](Size i, Size group) {
    if (group >= groups) return true;  // the label has changed
    const auto at = static_cast<Size>(next[group]++);
    const auto from = static_cast<int64_t>(i) * job.labels->x_stride;
    if (at < n) std::memcpy(to + at * bytes, x + from, bytes);
    return true;
  });
}

// Copies the elements sorted by label; the elements of a group keep their order.
std::unique_ptr<std::byte[]> sorted_by(const Job& job, const std::vector<int64_t>& offsets) {
  const Size bytes = bytes_of(job.plan.dtype);
  std::unique_ptr<std::byte[]> sorted(new std::byte[job.plan.elements * bytes]);
  std::vector<int64_t> next = offsets;
  if (bytes == 1) sort_elements<1>(job, next, sorted.get());
  if (bytes == 2) sort_elements<2>(job, next, sorted.get());
  if (bytes == 4) sort_elements<4>(job, next, sorted.get());
  if (bytes == 8) sort_elements<8>(job, next, sorted.get());
  // Another thread may have changed labels after they were counted: that is an error.
  if (!std::equal(next.begin(), next.end() - 1, offsets.begin() + 1)) refuse(job);
  return sorted;
}

}  // namespace

void fold_labels(const Job& job) {
  const Size bytes = bytes_of(job.plan.dtype), groups = job.labels->groups;
  const bool neighbours =
      job.labels->x_stride == static_cast<int64_t>(bytes) || job.plan.elements <= 1;
  if (neighbours && !begins_rising(job) && fold_label_sums(job) == LabelSums::done) return;
  // A counting sort turns groups into segments. That takes 1/6 to 1 of the time that adding each
  // element to its group's state takes.
  std::vector<int64_t> offsets(groups + 1);
  const bool in_place = count_labels(job, offsets) && neighbours;
  const std::unique_ptr<std::byte[]> sorted = in_place ? nullptr : sorted_by(job, offsets);
  backend::Segments segments{.offsets = offsets.data(), .count = groups, .nest = {.bytes = bytes}};
  const auto stride = static_cast<int64_t>(bytes);
  segments.nest.axes = {{job.plan.elements, {stride, stride}, 1, true}};
  Plan plan = job.plan;
  plan.aligned |= !in_place;
  fold_segments({.plan = plan,
                 .x = in_place ? job.x : sorted.get(),
                 .outputs = job.outputs,
                 .segments = &segments});
}

}  // namespace onefold::cpu_backend
