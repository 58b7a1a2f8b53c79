// What levels of a row's answers share: parts of a long row for threads, and types by value.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "onefold/cpu/exponential/kernels.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cpu_backend {

// Elements of a task of a long row.
inline constexpr Size task_elements = Size{1} << 18;

inline const std::byte* element_at(const void* x, Size i, DType t) {
  return static_cast<const std::byte*>(x) + i * bytes_of(t);
}

// Calls f(first, n) for parts of a row, and gather(result) with what it returned.
template <class F, class G>
void by_parts(Size n, int threads, F&& f, G&& gather) {
  if (n <= task_elements) {
    gather(f(Size{0}, n));
    return;
  }
  const Size tasks = (n + task_elements - 1) / task_elements;
  std::vector<decltype(f(Size{0}, n))> results(tasks);
  parallel(tasks, threads, [&](std::size_t k) {
    const Size first = k * task_elements;
    results[k] = f(first, std::min(task_elements, n - first));
  });
  for (const auto& result : results) gather(result);
}

// Returns the greatest element that is not NaN; none: -inf.
inline double greatest_of_row(const RowKernels& kernels, const void* x, Size n, DType t,
                              int threads) {
  double greatest = -std::numeric_limits<double>::infinity();
  by_parts(
      n, threads,
      [&](Size first, Size count) { return kernels.greatest(element_at(x, first, t), count); },
      [&](double v) { greatest = std::max(greatest, v); });
  return greatest;
}

// Returns f.operator()<T>() for the floating-point type of t.
template <class F>
bool as_floating(DType t, F&& f) {
  return visit(t, [&]<class T>() {
    if constexpr (Floating<T>) {
      return f.template operator()<T>();
    } else {
      return false;
    }
  });
}
inline bool rounded(DoublePair v, double lost, DType t, uint64_t* bits) {
  return as_floating(t, [&]<class T>() { return decided_bits<T>(v, lost, bits); });
}

}  // namespace onefold::cpu_backend
