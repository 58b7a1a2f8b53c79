#include "onefold/cpu/labels.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "onefold/cpu/read_labels.hpp"
#include "onefold/cpu/segments.hpp"
#include "onefold/system/memory.hpp"

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

}  // namespace

LabelOrder::LabelOrder(const backend::Labels& labels, Size n)
    : labels_(labels), n_(n), offsets_(labels.groups + 1) {
  Size before = 0, good = 0;
  over_labels(labels, n, [&](Size, Size group) {
    if (group >= labels.groups) return false;
    rises_ &= before <= group;
    before = group;
    ++offsets_[group + 1];
    ++good;
    return true;
  });
  if (good != n) labels.refuse(labels.data);
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
}

// next: the index at which each group's next element is stored
template <std::size_t bytes>
void LabelOrder::sort_to(std::byte* to, std::vector<int64_t>& next, const std::byte* x,
                         int64_t stride) const {
  over_labels(labels_, n_, [&](Size i, Size group) {
    if (group >= labels_.groups) return true;  // the label has changed
    const auto at = static_cast<Size>(next[group]++);
    if (at < n_) std::memcpy(to + at * bytes, x + static_cast<int64_t>(i) * stride, bytes);
    return true;
  });
}

std::unique_ptr<std::byte[]> LabelOrder::sort(const void* x, int64_t stride, Size bytes) const {
  constexpr Size large = Size{4} << 20;  // bytes
  std::unique_ptr<std::byte[]> sorted(new std::byte[n_ * bytes]);
  if (n_ * bytes >= large) system::prefer_large_pages(sorted.get(), n_ * bytes);
  std::vector<int64_t> next = offsets_;
  const auto* const from = static_cast<const std::byte*>(x);
  if (bytes == 1) sort_to<1>(sorted.get(), next, from, stride);
  if (bytes == 2) sort_to<2>(sorted.get(), next, from, stride);
  if (bytes == 4) sort_to<4>(sorted.get(), next, from, stride);
  if (bytes == 8) sort_to<8>(sorted.get(), next, from, stride);
  // Another thread may have changed labels after they were counted: that is an error.
  if (!std::equal(next.begin(), next.end() - 1, offsets_.begin() + 1)) labels_.refuse(labels_.data);
  return sorted;
}

void fold_labels(const Job& job) {
  const Size bytes = bytes_of(job.plan.dtype), groups = job.labels->groups;
  const bool neighbours =
      job.labels->x_stride == static_cast<int64_t>(bytes) || job.plan.elements <= 1;
  if (neighbours && !begins_rising(job) && fold_label_sums(job) == LabelSums::done) return;
  // A counting sort turns groups into segments. That takes 1/6 to 1 of the time that adding each
  // element to its group's state takes.
  const LabelOrder order(*job.labels, job.plan.elements);
  const bool in_place = order.rises() && neighbours;
  const std::unique_ptr<std::byte[]> sorted =
      in_place ? nullptr : order.sort(job.x, job.labels->x_stride, bytes);
  backend::Segments segments{
      .offsets = order.offsets().data(), .count = groups, .nest = {.bytes = bytes}};
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
