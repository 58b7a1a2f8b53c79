#include "onefold/cpu/pack.hpp"

#include <algorithm>

#include "onefold/cpu/copy_grid.hpp"

namespace onefold::cpu_backend {

Walk::Walk(std::span<const Axis> axes, Size i) : axes_(axes) {
  for (std::size_t d = axes.size(); d-- > 0;) {
    if (axes[d].extent == 0) return;
    at_[d] = i % axes[d].extent;
    i /= axes[d].extent;
    offset_ += static_cast<int64_t>(at_[d]) * axes[d].stride[0];
    offset_y_ += static_cast<int64_t>(at_[d]) * axes[d].stride[1];
    offset_mask_ += static_cast<int64_t>(at_[d]) * axes[d].stride[2];
  }
}

Size Walk::run_left() const {
  return axes_.empty() ? 1 : axes_.back().extent - at_[axes_.size() - 1];
}

void Walk::skip(Size n) {
  if (axes_.empty()) return;
  for (std::size_t d = axes_.size(); d-- > 0;) {
    at_[d] += n;
    offset_ += static_cast<int64_t>(n) * axes_[d].stride[0];
    offset_y_ += static_cast<int64_t>(n) * axes_[d].stride[1];
    offset_mask_ += static_cast<int64_t>(n) * axes_[d].stride[2];
    if (at_[d] < axes_[d].extent) return;
    offset_ -= static_cast<int64_t>(at_[d]) * axes_[d].stride[0];
    offset_y_ -= static_cast<int64_t>(at_[d]) * axes_[d].stride[1];
    offset_mask_ -= static_cast<int64_t>(at_[d]) * axes_[d].stride[2];
    at_[d] = 0;
    n = 1;
  }
}

void Walk::advance(Size n) {
  while (n > 0) {
    const Size m = std::min(n, run_left());
    skip(m);
    n -= m;
  }
}

void Walk::pack(const std::byte* x, const std::byte* y, Size n, std::size_t bytes, std::byte* to,
                std::byte* to_y) {
  const Axis one{.extent = 1};
  for (Size i = 0; i < n;) {
    const Axis& inner = axes_.empty() ? one : axes_.back();
    const Size m = std::min(n - i, run_left());
    copy_grid(x + offset_, 1, 0, m, inner.stride[0], bytes, to + i * bytes);
    if (y != nullptr) copy_grid(y + offset_y_, 1, 0, m, inner.stride[1], bytes, to_y + i * bytes);
    i += m;
    skip(m);
  }
}

}  // namespace onefold::cpu_backend
