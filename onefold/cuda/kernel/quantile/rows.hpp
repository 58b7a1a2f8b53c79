// Quantiles of slices that fit a block's shared memory: a block each.
//
//   grid    slices, then those that follow after as many
//   reads   once
//   shared  a key an element
#pragma once

#include "onefold/cuda/kernel/quantile/block_select.hpp"
#include "onefold/cuda/kernel/quantile/input.hpp"

namespace onefold::kernel {

//   masks   elements that the mask leaves out have the greatest key, and no rank
template <class T, bool masks, class M>
ONEFOLD_KERNEL void quantile_rows(M m, const QuantileSlices<M, T>& in) {
  using O = OrderedBits<T>;
  using K = typename O::Key;
  const auto keys = shared_of_launch<K>(m);
  // Numbers of NaN that count, and of elements that do not.
  const auto others = shared<uint32_t, 2, struct row_others_>(m);
  const auto t = static_cast<unsigned>(m.thread()), threads = static_cast<unsigned>(m.threads());
  const auto n = static_cast<uint32_t>(in.length());
  const BlockSelect<HeldKeys<K, M>, O::bits, quantile_row_threads, M> block{m, {keys, n}, n};
  ONEFOLD_NO_UNROLL
  for (Size slice = m.block(); slice < in.nest.answers; slice += m.blocks()) {
    const Spot at = answer_at<false, masks>(in.nest, slice);
    if (t < 2) others[t] = 0u;
    m.sync();
    uint32_t mine = 0, out = 0;
    const auto keep = [&](T x, bool there, uint32_t i) {
      const K k = O::of(x);
      mine += there && k == O::nan ? 1 : 0;
      out += there ? 0 : 1;
      keys[i] = there ? k : O::nan;
    };
    if (in.wide) {
      constexpr unsigned size = Vector16<T>::size;
      const auto from = m.by_vector(in.nest.x + at.x);
      const auto taken = m.template as<MaskWord<T>>(in.nest.mask + at.mask);
      ONEFOLD_NO_UNROLL
      for (uint32_t i = t; i < n / size; i += threads) {
        const Vector16<T> v = from[i];
        MaskWord<T> word{};
        if constexpr (masks) word = taken[i];
        // Neighbouring threads write neighbouring words: order does not matter.
        ONEFOLD_UNROLL
        for (unsigned k = 0; k < size; ++k) {
          keep(v.v[k], !masks || takes(word, k), k * (n / size) + i);
        }
      }
    } else {
      const auto x = in.nest.x + at.x;
      ONEFOLD_NO_UNROLL
      for (uint32_t i = t; i < n; i += threads) {
        const T v = x[static_cast<int64_t>(i) * in.stride()];
        uint8_t byte = 1;
        if constexpr (masks) {
          byte = in.nest.mask[at.mask + static_cast<int64_t>(i) * in.mask_stride()];
        }
        keep(v, byte != 0, i);
      }
    }
    if (m.branch(mine != 0)) m.add(others, 0, mine);
    if (m.branch(out != 0)) m.add(others, 1, out);
    m.sync();
    const uint32_t nans = others[0], left_out = others[1];
    if (in.spoilt(nans, n - left_out)) {
      ONEFOLD_NO_UNROLL
      for (unsigned l = t; l < in.levels; l += threads) in.put(l, at.step, quantile_nan<T>(), nans);
      m.sync();
      continue;
    }
    ONEFOLD_NO_UNROLL
    for (unsigned l = 0; l < in.levels; ++l) {
      const QuantilePlace place = in.place_among(l, n - left_out - nans);
      const auto found = block.select(static_cast<uint32_t>(place.rank), place.rest > 0);
      if (t == 0) in.put(l, at.step, quantile_of_keys<T>(found.low, found.high, place), nans);
      m.sync();
    }
  }
}

}  // namespace onefold::kernel
