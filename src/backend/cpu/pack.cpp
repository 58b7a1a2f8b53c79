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

Walk::Walk(std::span<const Dimension> dims, Size index) : dims_(dims) {
  for (std::size_t d = dims.size(); d-- > 0;) {
    if (dims[d].extent == 0) return;
    at_[d] = index % dims[d].extent;
    index /= dims[d].extent;
    offset_ += static_cast<int64_t>(at_[d]) * dims[d].stride;
    offset_y_ += static_cast<int64_t>(at_[d]) * dims[d].stride_y;
  }
}

Size Walk::run_left() const {
  return dims_.empty() ? 1 : dims_.back().extent - at_[dims_.size() - 1];
}

void Walk::skip(Size n) {
  if (dims_.empty()) return;
  for (std::size_t d = dims_.size(); d-- > 0;) {
    at_[d] += n;
    offset_ += static_cast<int64_t>(n) * dims_[d].stride;
    offset_y_ += static_cast<int64_t>(n) * dims_[d].stride_y;
    if (at_[d] < dims_[d].extent) return;
    offset_ -= static_cast<int64_t>(at_[d]) * dims_[d].stride;
    offset_y_ -= static_cast<int64_t>(at_[d]) * dims_[d].stride_y;
    at_[d] = 0;
    n = 1;
  }
}

void Walk::pack(const std::byte* x, const std::byte* y, Size n, std::size_t bytes, std::byte* to,
                std::byte* to_y) {
  const Dimension one{1, 0, 0};
  for (Size i = 0; i < n;) {
    const Dimension& inner = dims_.empty() ? one : dims_.back();
    const Size m = std::min(n - i, run_left());
    copy(x + offset_, inner.stride, m, bytes, to + i * bytes);
    if (y != nullptr) copy(y + offset_y_, inner.stride_y, m, bytes, to_y + i * bytes);
    i += m;
    skip(m);
  }
}

}  // namespace onefold::cpu_backend
