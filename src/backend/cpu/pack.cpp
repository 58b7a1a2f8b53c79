#include "backend/cpu/pack.hpp"

#include <algorithm>
#include <cstring>

namespace onefold::cpu_backend {
namespace {

template <std::size_t bytes>
void copy_strided(const std::byte* from, int64_t stride, Size n, std::byte* to) {
  // memcpy: an element may stand at any byte.
  for (Size i = 0; i < n; ++i) {
    std::memcpy(to + i * bytes, from + static_cast<int64_t>(i) * stride, bytes);
  }
}

void copy(const std::byte* from, int64_t stride, Size n, std::size_t bytes, std::byte* to) {
  if (stride == static_cast<int64_t>(bytes)) {
    std::memcpy(to, from, n * bytes);
    return;
  }
  switch (bytes) {
    case 1:
      return copy_strided<1>(from, stride, n, to);
    case 2:
      return copy_strided<2>(from, stride, n, to);
    case 4:
      return copy_strided<4>(from, stride, n, to);
    default:
      return copy_strided<8>(from, stride, n, to);
  }
}

}  // namespace

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
    copy(x + offset_, inner.stride[0], m, bytes, to + i * bytes);
    if (y != nullptr) copy(y + offset_y_, inner.stride[1], m, bytes, to_y + i * bytes);
    i += m;
    skip(m);
  }
}

}  // namespace onefold::cpu_backend
