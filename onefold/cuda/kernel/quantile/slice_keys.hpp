// The keys of a slice, held in shared memory or read again from global memory, and searches among
// them: these are not inlined, since compilers would take a minute for all copies.
#pragma once

#include "onefold/cuda/kernel/quantile/block_select.hpp"
#include "onefold/cuda/kernel/quantile/input.hpp"

namespace onefold::kernel {

// Keys of the elements of a slice that count, read from global memory.
template <class T, bool masks, class M>
struct SliceKeys {
  using O = OrderedBits<T>;
  using Key = typename O::Key;
  M m;
  const QuantileSlices<M, T>& in;
  int64_t x, mask;  // from where the slice begins
  uint32_t n;
  template <class F>
  ONEFOLD_KERNEL void each_element(unsigned t, unsigned threads, F f) const {
    each_by_elements<T, masks>(m, in, {.x = x, .mask = mask}, 0, n, t, threads, f);
  }
  template <class F>
  ONEFOLD_KERNEL void each(unsigned t, unsigned threads, F f) const {
    each_element(t, threads, [&](T v, bool active) {
      if (m.branch(active)) f(O::of(v));
    });
  }
};

// Finds a rank among the first n keys of the launch's shared memory.
template <class T, class M>
ONEFOLD_KERNEL_COLD auto select_held(M m, uint32_t n, uint32_t rank, bool next) {
  using O = OrderedBits<T>;
  using Keys = HeldKeys<typename O::Key, M>;
  const auto keys = shared_of_launch<typename O::Key>(m);
  return BlockSelect<Keys, O::bits, quantile_row_threads, M>{m, {keys, n}, n}.select(rank, next);
}
//   taken  how many elements count
template <class T, bool masks, class M>
ONEFOLD_KERNEL_COLD auto select_again(const SliceKeys<T, masks, M>& keys, uint32_t taken,
                                      uint32_t rank, bool next) {
  using Select = BlockSelect<SliceKeys<T, masks, M>, OrderedBits<T>::bits, quantile_row_threads, M>;
  return Select{keys.m, keys, taken}.select(rank, next);
}

}  // namespace onefold::kernel
