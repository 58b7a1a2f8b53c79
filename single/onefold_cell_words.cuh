// The words of Cells, additions to them, and the exponents of data: for onefold_cells.cuh.
#pragma once

#include "onefold_exact.hpp"

namespace onefold {

// How an element becomes integers: word k counts units of 2^(unit - apart k).
//   float, bfloat16  one integer below 2^36, of the first word whose unit divides the element
//   double           one integer below 2^62 if a word's unit divides the element, else digits of two
//                    words; who sees a word wrap adds 2^64 of its units to the word above
//   most   elements of `most` neighbouring exponents go to one word
//   below  unit_below(e) is e - below
template <class T>
struct CellWords {
  static_assert(sizeof(T) == 0, "cells are of float, double or onefold::bfloat16");
};
template <>
struct CellWords<float> {
  static constexpr int count = 3, apart = 13, most = 13, below = 36;
};
template <>
struct CellWords<double> {
  static constexpr int count = 3, apart = 56, most = 7, below = 3;  // 7 + 52 bits: 4 bits are free
};
template <>
struct CellWords<bfloat16> {
  static constexpr int count = 2, apart = 29, most = 29, below = 36;
};

// What happened to all cells: in the memory of the cells.
struct CellsState {
  static constexpr unsigned list_full = 1, overflow = 2, bad_index = 4;
  unsigned status;  // 0: all additions count
  unsigned listed;  // entries asked for; the list has no room for those above its length
  unsigned long long nan, positive_infinity, negative_infinity;  // additions of these
};

namespace detail {

// Additions in PTX. Compilers join an addition that asks for the old word with one that does not:
// then all ask. And they do not know that the memory is global.
__device__ __forceinline__ unsigned long long add_asking(unsigned long long* to,
                                                         unsigned long long amount) {
#if defined(__HIP__)
  return atomicAdd(to, amount);
#else
  unsigned long long old;
  asm volatile("{\n.reg .u64 to;\ncvta.to.global.u64 to, %1;\natom.global.add.u64 %0, [to], %2;\n}"
               : "=l"(old)
               : "l"(to), "l"(amount)
               : "memory");
  return old;
#endif
}
__device__ __forceinline__ void add_blindly(unsigned long long* to, unsigned long long amount) {
#if defined(__HIP__)
  atomicAdd(to, amount);
#else
  asm volatile("{\n.reg .u64 to;\ncvta.to.global.u64 to, %0;\nred.global.add.u64 [to], %1;\n}"
               :
               : "l"(to), "l"(amount)
               : "memory");
#endif
}

}  // namespace detail

// Calls f(i) for each i below n, from all threads of a launch.
template <class F>
__device__ void for_each_index(Size n, const F& f) {
  const Size in_block = blockDim.x * blockDim.y * blockDim.z;
  const Size blocks = static_cast<Size>(gridDim.x) * gridDim.y * gridDim.z;
  const Size block =
      blockIdx.x + gridDim.x * (blockIdx.y + static_cast<Size>(gridDim.y) * blockIdx.z);
  Size i = block * in_block + threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  for (; i < n; i += blocks * in_block) f(i);
}

// Counts the exponents of every `apart`th element.
template <class T>
__global__ void count_exponents(const T* x, Size n, Size apart, unsigned* counts) {
  constexpr int fields = 1 << float_format(dtype_of<T>).exponent_bits;
  __shared__ unsigned count[fields];
  for (int k = threadIdx.x; k < fields; k += blockDim.x) count[k] = 0;
  __syncthreads();
  for_each_index((n + apart - 1) / apart, [&](Size k) {
    const detail::Fields f = detail::fields_of(x[k * apart]);
    if (f.mantissa != 0) atomicAdd(count + f.field, 1u);
  });
  __syncthreads();
  for (int i = threadIdx.x; i < fields; i += blockDim.x) {
    if (count[i] != 0) atomicAdd(counts + i, count[i]);
  }
}

}  // namespace onefold
