// The functions that kernels call. A kernel is a function of the machine that runs it, `template
// <class M>`, and reads like CUDA. The machines are `machine/gpu.cuh` and `machine/sim.hpp`.
#pragma once

#include "onefold/core/base.hpp"

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

// Types for global memory that a kernel only reads, or also writes, and for a shared array.
template <class M, class T>
using In = typename M::template In<T>;
template <class M, class T>
using Out = typename M::template Out<T>;
template <class M, class T>
using Shared = typename M::template Shared<T>;

// Stands for a machine on the host, where a kernel's arguments have addresses instead of pointers.
// So one struct defines the layout of the arguments for host and kernel.
struct HostArguments {
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

// Stands for `extern __shared__ T s[];`: the launch says how many elements it has.
template <class T, class M>
ONEFOLD_KERNEL auto shared_of_launch(M m) {
  return m.template shared_of_launch<T>();
}

// The number of elements that the widest load takes.
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

// Calls f.operator()<32>(), f.operator()<16>(), ...: a loop that is unrolled at compile time,
// written `for_constants<32, 16>([&]<int h>() { s[t] += s[t + h]; });`
template <int... V, class F>
ONEFOLD_KERNEL void for_constants(F f) {
  (f.template operator()<V>(), ...);
}

}  // namespace onefold
