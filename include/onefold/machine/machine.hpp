// The functions that kernels call. A kernel is a function of the machine that it runs on, `template
// <class M>`, and reads like CUDA; the machines are `machine/gpu.cuh` and `machine/sim.hpp`.
#pragma once

#include "onefold/base.hpp"

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define ONEFOLD_KERNEL __device__ __forceinline__
#define ONEFOLD_KERNEL_COLD __device__ __noinline__
#define ONEFOLD_UNROLL _Pragma("unroll")
#define ONEFOLD_NO_UNROLL _Pragma("unroll 1")
#else
#define ONEFOLD_KERNEL inline
#define ONEFOLD_KERNEL_COLD inline
#define ONEFOLD_UNROLL
#define ONEFOLD_NO_UNROLL
#endif

namespace onefold {

// Global memory that a kernel reads only, or reads and writes; a shared array.
template <class M, class T>
using In = typename M::template In<T>;
template <class M, class T>
using Out = typename M::template Out<T>;
template <class M, class T>
using Shared = typename M::template Shared<T>;

// No machine to run on: a kernel's arguments as the host passes them, which has addresses where the
// kernel has pointers. One text says for both how they lie in memory.
struct Passed {
  template <class>
  using In = uint64_t;
  template <class>
  using Out = uint64_t;
};

// `auto s = shared<int, B, struct s_>(m);` is `__shared__ int s[B];`. The local tag keeps two
// arrays apart: without it two arrays of one type and size would be one.
template <class T, int N, class Tag, class M>
ONEFOLD_KERNEL auto shared(M m) {
  return m.template shared<T, N, Tag>();
}

// `extern __shared__ T s[];`: the launch says how many elements it has.
template <class T, class M>
ONEFOLD_KERNEL auto shared_of_launch(M m) {
  return m.template shared_of_launch<T>();
}

// The number of elements of the widest load.
template <class T>
struct alignas(16) Vector16 {
  enum : int { size = 16 / sizeof(T) };
  T v[size];

  ONEFOLD_KERNEL T sum() const {
    T s = v[0];
    for (int k = 1; k < size; ++k) s += v[k];
    return s;
  }
};

// Calls f.operator()<32>(), f.operator()<16>(), ...: a loop unrolled in the text, written
// `for_constants<32, 16>([&]<int h>() { s[t] += s[t + h]; });`
template <int... V, class F>
ONEFOLD_KERNEL void for_constants(F f) {
  (f.template operator()<V>(), ...);
}

}  // namespace onefold
