// Quantiles of slices that fit a block's shared memory: a block each.
//
//   grid    slices, then those that follow after as many
//   reads   once
//   shared  a key an element
#pragma once

#include "onefold/cuda/kernel/quantile/block_select.hpp"
#include "onefold/cuda/kernel/quantile/input.hpp"

namespace onefold::kernel {

template <class T, class M>
ONEFOLD_KERNEL void quantile_rows(M m, const QuantileSlices<M, T>& in) {
  using O = OrderedBits<T>;
  using K = typename O::Key;
  const auto keys = shared_of_launch<K>(m);
  const auto nans_of_block = shared<uint32_t, 1, struct row_nans_>(m);
  const auto t = static_cast<unsigned>(m.thread()), threads = static_cast<unsigned>(m.threads());
  const auto n = static_cast<uint32_t>(in.length());
  const BlockSelect<K, O::bits, quantile_row_threads, M> block{m, keys, n};
  ONEFOLD_NO_UNROLL
  for (Size slice = m.block(); slice < in.nest.answers; slice += m.blocks()) {
    const Spot at = answer_at<false>(in.nest, slice);
    if (t == 0) nans_of_block[0] = 0u;
    m.sync();
    uint32_t mine = 0;
    const auto keep = [&](T x, uint32_t i) {
      const K k = O::of(x);
      mine += k == O::nan ? 1 : 0;
      keys[i] = k;
    };
    if (in.wide) {
      constexpr unsigned size = Vector16<T>::size;
      const auto from = m.by_vector(in.nest.x + at.x);
      ONEFOLD_NO_UNROLL
      for (uint32_t i = t; i < n / size; i += threads) {
        const Vector16<T> v = from[i];
        // Neighbouring threads write neighbouring words: order does not matter.
        ONEFOLD_UNROLL
        for (unsigned k = 0; k < size; ++k) keep(v.v[k], k * (n / size) + i);
      }
    } else {
      const auto x = in.nest.x + at.x;
      ONEFOLD_NO_UNROLL
      for (uint32_t i = t; i < n; i += threads) {
        const T v = x[static_cast<int64_t>(i) * in.stride()];
        keep(v, i);
      }
    }
    if (m.branch(mine != 0)) m.add(nans_of_block, 0, mine);
    m.sync();
    const uint32_t nans = nans_of_block[0];
    if (in.spoilt(nans)) {
      ONEFOLD_NO_UNROLL
      for (unsigned l = t; l < in.levels; l += threads) in.put(l, at.step, quantile_nan<T>(), nans);
      m.sync();
      continue;
    }
    ONEFOLD_NO_UNROLL
    for (unsigned l = 0; l < in.levels; ++l) {
      const QuantilePlace place = in.place_among(l, n - nans);
      const auto found = block.select(static_cast<uint32_t>(place.rank), place.rest > 0);
      if (t == 0) in.put(l, at.step, quantile_of_keys<T>(found.low, found.high, place), nans);
      m.sync();
    }
  }
}

}  // namespace onefold::kernel
