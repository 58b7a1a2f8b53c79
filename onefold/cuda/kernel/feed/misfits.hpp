// What feeds of halves and of digits do with a chunk that does not fit: they move the anchor, or
// lift a few elements.
//
//   Feed   infinity: the bits of an infinity; magnitude(c, k): the bits of an element without its
//          sign; anchor_for(top): an anchor above such bits; misfit(c, k, e): whether an element
//          does not fit below the anchor e; lifted: the accumulators to which elements are lifted
#pragma once

#include "onefold/cuda/kernel/words.hpp"

namespace onefold::kernel {

// A chunk is added if at most `few` elements do not fit; a warp lifts at most `patience` elements.
inline constexpr int few_misfits = 8, patience_of_misfits = 64;

// The new anchor, and how many of the warp's elements do not fit it (-1: too many to lift).
struct AnchorChoice {
  int anchor, bad;
};
// patience: how many more elements the warp may lift; below 0: any number.
template <class Feed, class M, class T, uint32_t set, class Chunk>
ONEFOLD_KERNEL_COLD AnchorChoice choose_anchor(M m, Words<M, T, set> words, const Chunk& c,
                                               int anchor, int patience) {
  uint32_t top = 0;
  ONEFOLD_NO_UNROLL
  for (int k = 0; k < Chunk::elements; ++k) {
    const uint32_t h = Feed::magnitude(c, k);
    if (h < Feed::infinity && h > top) top = h;
  }
  const int wanted = Feed::anchor_for(m.redux_max(top));
  AnchorChoice v{.anchor = wanted > anchor ? wanted : anchor, .bad = 0};
  ONEFOLD_NO_UNROLL
  for (;;) {
    int bad = 0;
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < Chunk::elements; ++k) bad += Feed::misfit(c, k, v.anchor) ? 1 : 0;
    v.bad = m.redux_add(bad);
    if (v.bad <= few_misfits || v.anchor == wanted) break;
    v.anchor = wanted;
  }
  if (patience >= 0 && (v.bad > few_misfits || v.bad > patience)) {
    v.bad = -1;
    return v;
  }
  ONEFOLD_NO_UNROLL
  for (int k = 0; k < Chunk::elements; ++k) {
    if (Feed::misfit(c, k, v.anchor)) lift<Feed::lifted.bits>(m, words, c.element(k), T{});
  }
  return v;
}

}  // namespace onefold::kernel
