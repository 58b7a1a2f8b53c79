// Quantiles of slices: docs/decisions/0075-quantiles.md.
//
//   short slices  rows.hpp: one launch
//   long slices   bracket.hpp: a sample, and one read; passes.hpp: the ranks among the candidates,
//                 and those that no bracket contains by as many reads as keys have digits
//   segments      segments.hpp: two launches
//   bits          do not depend on grids, samples or chips
#pragma once

#include "onefold/cuda/kernel/quantile/bracket.hpp"
#include "onefold/cuda/kernel/quantile/passes.hpp"
#include "onefold/cuda/kernel/quantile/rows.hpp"
#include "onefold/cuda/kernel/quantile/segments.hpp"

namespace onefold::kernel {

//   masks     elements are selected by a mask
//   several   of the bracket: more than one level; of segments: the second launch
template <class T, Walk walk, bool masks, bool several = false, class M>
ONEFOLD_KERNEL void quantiles(M m, const QuantileSlices<M, T>& in) {
  if constexpr (walk == Walk::quantile_rows) quantile_rows<T, masks>(m, in);
  if constexpr (walk == Walk::quantile_sample) quantile_sample(m, in);
  if constexpr (walk == Walk::quantile_bracket) {
    quantile_bracket<T, several ? most_levels : 1, masks>(m, in);
  }
  if constexpr (walk == Walk::quantile_pass) QuantilePass<T, masks, M>{m, in}.run();
  if constexpr (walk == Walk::quantile_answers) quantile_answers(m, in);
  if constexpr (walk == Walk::quantile_segments) {
    QuantileSegments<T, masks, several, M>{m, in}.run();
  }
}

}  // namespace onefold::kernel
