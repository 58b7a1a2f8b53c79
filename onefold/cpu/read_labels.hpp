// Reads labels one by one.
//
// Another thread may change labels meanwhile, so each label is checked every time it is read.
#pragma once

#include <cstring>
#include <type_traits>

#include "onefold/engine/backend/backend.hpp"

namespace onefold::cpu_backend {

// Calls f with a value of type t, the labels' type.
template <class F>
auto with_label_type(DType t, F f) {
  return visit(t, [&]<class T>() {
    if constexpr (Floating<T>) {
      return f(int64_t{});
    } else if constexpr (dtype_of<T> == DType::boolean) {
      return f(bool{});
    } else {
      return f(T{});
    }
  });
}
// Reads a label as an unsigned number, so that a negative label exceeds every group's number.
template <class L>
Size label_at(const std::byte* p) {
  if constexpr (std::is_same_v<L, bool>) {
    return *p != std::byte{0};
  } else {
    L label;
    std::memcpy(&label, p, sizeof label);
    return static_cast<Size>(label);
  }
}
// Calls f(i, group) for the first n labels until f returns false.
template <class F>
void over_labels(const backend::Labels& labels, Size n, F f) {
  with_label_type(labels.type, [&](auto l) {
    const auto* p = static_cast<const std::byte*>(labels.data);
    for (Size i = 0; i < n; ++i, p += labels.stride) {
      if (!f(i, label_at<decltype(l)>(p))) return;
    }
  });
}

}  // namespace onefold::cpu_backend
