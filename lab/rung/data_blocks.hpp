// What the unrolled kernels of text 001 share: data blocks folded in place, and the last warp.
#pragma once

#include "lab/rung.hpp"

namespace onefold::lab {

// Adds to x[i] what stands 1 .. K - 1 data blocks behind it, as far as there is any.
template <int K, class T, class M, class P, class I>
ONEFOLD_KERNEL void add_data_blocks(M m, P x, I i, Size n) {
  const Size b = m.threads();
  if (m.inside(i + (K - 1) * b, n)) {
    T a[K];
    for (int k = 0; k < K; ++k) a[k] = x[i + static_cast<Size>(k) * b];
    T sum = a[0];
    for (int k = 1; k < K; ++k) sum += a[k];
    x[i] = sum;
  } else if (m.inside(i, n)) {
    T sum = x[i];
    for (auto j = i + b; m.inside(j, n); j += b) sum += x[j];
    x[i] = sum;
  }
}

// The same as the text prints it: nothing is added unless all K - 1 data blocks exist (a flaw).
template <int K, class T, class M, class P, class I>
ONEFOLD_KERNEL void add_whole_data_blocks(M m, P x, I i, Size n) {
  const Size b = m.threads();
  if (i + (K - 1) * b < n) {
    T a[K];
    for (int k = 0; k < K; ++k) a[k] = x[i + static_cast<Size>(k) * b];
    T sum = a[0];
    for (int k = 1; k < K; ++k) sum += a[k];
    x[i] = sum;
  }
}

// Interleaved pairs down to `last`; i is the place of data[t] among n.
template <class M, class P, class Thread, class I>
ONEFOLD_KERNEL void fold_in_place(M m, P data, Thread t, I i, Size n, unsigned last) {
  for (unsigned stride = m.threads() / 2; stride > last; stride /= 2) {
    if (t < stride && m.inside(i + stride, n)) data[t] += data[t + stride];
    m.sync();
  }
}

// The same as printed: the block is taken to be full.
template <class M, class P, class Thread>
ONEFOLD_KERNEL void fold_full_block(M m, P data, Thread t, unsigned last) {
  for (unsigned stride = m.threads() / 2; stride > last; stride /= 2) {
    if (t < stride) data[t] += data[t + stride];
    m.sync();
  }
}

// The same with the steps down to 64 written out.
template <class M, class P, class Thread>
ONEFOLD_KERNEL void fold_full_block_unrolled(M m, P data, Thread t, unsigned threads) {
  if (threads >= 1024 && t < 512) data[t] += data[t + 512];
  m.sync();
  if (threads >= 512 && t < 256) data[t] += data[t + 256];
  m.sync();
  if (threads >= 256 && t < 128) data[t] += data[t + 128];
  m.sync();
  if (threads >= 128 && t < 64) data[t] += data[t + 64];
  m.sync();
}

// The last warp of a block of at least `block` threads.
template <class M, class P, class Thread, class I>
ONEFOLD_KERNEL void last_warp_in_place(M m, P data, Thread t, I i, Size n, unsigned block) {
  if (t < 32) {
    for_constants<32, 16, 8, 4, 2, 1>([&]<int h>() {
      if (h >= block) return;
      if (t < h && m.inside(i + h, n)) data[t] += data[t + h];
      m.sync_warp();
    });
  }
}

// The same as printed: `volatile`, and the warp taken to run in lock-step.
template <class M, class P, class Thread>
ONEFOLD_KERNEL void last_warp_in_lock_step(M m, P data, Thread t) {
  if (t < 32) {
    auto v = m.as_volatile(data);
    v[t] += v[t + 32];
    v[t] += v[t + 16];
    v[t] += v[t + 8];
    v[t] += v[t + 4];
    v[t] += v[t + 2];
    v[t] += v[t + 1];
  }
}

// A block folds K data blocks as it starts; then its threads add pairs half a block apart.
template <int K>
struct Unrolling {
  ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size n) {
    const auto t = m.thread();
    const auto i = Size(m.block()) * m.threads() * K + t;
    auto data = x + Size(m.block()) * m.threads() * K;
    add_data_blocks<K, T>(m, x, i, n);
    m.sync();
    fold_in_place(m, data, t, i, n, 0);
    if (t == 0) y[m.block()] = data[0];
  }

  struct Printed {
    ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size n) {
      const auto t = m.thread();
      const auto i = Size(m.block()) * m.threads() * K + t;
      auto data = x + Size(m.block()) * m.threads() * K;
      add_whole_data_blocks<K, T>(m, x, i, n);
      m.sync();
      fold_full_block(m, data, t, 0);
      if (t == 0) y[m.block()] = data[0];
    }
  };
};

}  // namespace onefold::lab
