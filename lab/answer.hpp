// Computes a rung's answer on the host, and checks it; the same code for every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lab/plan.hpp"
#include "lab/simulate.hpp"

namespace onefold::lab {

// Returns f<T>() for the C++ type.
template <class F>
auto visit_type(Type type, F f) {
  return type == Type::i32   ? f.template operator()<int32_t>()
         : type == Type::i64 ? f.template operator()<int64_t>()
         : type == Type::f32 ? f.template operator()<float>()
                             : f.template operator()<double>();
}

template <class T>
constexpr bool is_float = std::is_floating_point_v<T>;

template <class T>
Value value_of(T v) {
  if constexpr (is_float<T>)
    return static_cast<double>(v);
  else
    return static_cast<int64_t>(v);
}

template <class T>
T identity(Op op) {
  return op == Op::sum ? T(0) : op == Op::min ? Min<T>::identity() : Max<T>::identity();
}

// Folds the values that the kernels left, as the host programs of the tutorials do.
template <class T>
T finish(const std::vector<T>& v, Op op) {
  if (op == Op::min) return v.empty() ? identity<T>(op) : *std::min_element(v.begin(), v.end());
  if (op == Op::max) return v.empty() ? identity<T>(op) : *std::max_element(v.begin(), v.end());
  std::conditional_t<is_float<T>, long double, uint64_t> sum = 0;
  for (const T x : v) sum += static_cast<decltype(sum)>(x);
  return static_cast<T>(sum);
}

template <class T>
bool right(T got, const Value& want, const Plan& p, Op op) {
  if constexpr (!is_float<T>) {
    return static_cast<int64_t>(got) == std::get<int64_t>(want);
  } else {
    const double exact = std::get<double>(want);
    const double g = static_cast<double>(got);
    if (op != Op::sum || g == exact) return g == exact;
    if (p.exact) return got == static_cast<T>(exact);  // 53 bits hold the lab's sums
    // The elements are not negative, so the sum is the sum of absolute values.
    const double slack = p.roundings * std::ldexp(exact, -std::numeric_limits<T>::digits);
    return std::abs(g - exact) <= slack;
  }
}

}  // namespace onefold::lab
