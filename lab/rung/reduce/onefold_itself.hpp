#pragma once

#include "lab/rung.hpp"
#include "onefold/fold.hpp"

namespace onefold::lab::reduce {

struct onefold_itself {
  static constexpr Rung about{
      .title = "Onefold itself",
      .idea = "the library's own call: the exact sum, rounded once, in one launch",
      .source = "beyond the texts",
      .after = "vector_loads",
      .flow = Flow::library,
      .any_op = true,
      .exact = true};

  template <class F, class T = typename F::Type>
  static T host(const T* x, T*, Size n) {
    if (n == 0) return F::identity();
    T answer{};
    fold_into({&answer, dtype_of<T>, Dims()}, F::name, {x, dtype_of<T>, Dims(n)},
              {.result = dtype_of<T>, .device = cpu});
    return answer;
  }

  template <class F, class T = typename F::Type>
  static void queue(const T* x, Size n, T* answer, const OnStream& where) {
    if (n == 0) return;  // the host has the identity
    fold_into({answer, dtype_of<T>, Dims()}, F::name, {x, dtype_of<T>, Dims(n)},
              {.result = dtype_of<T>, .device = cuda(where.device), .stream = where.stream});
  }
};

}  // namespace onefold::lab::reduce
