// Chooses the feed of each accumulator, by element type, set of accumulators and stage.
#pragma once

#include "onefold/cuda/kernel/either.hpp"
#include "onefold/cuda/kernel/feed/bins.hpp"
#include "onefold/cuda/kernel/feed/digit_windows.hpp"
#include "onefold/cuda/kernel/feed/extremes.hpp"
#include "onefold/cuda/kernel/feed/half_bins.hpp"
#include "onefold/cuda/kernel/feed/half_windows.hpp"
#include "onefold/cuda/kernel/feed/integers.hpp"
#include "onefold/cuda/kernel/feed/pair_bins.hpp"
#include "onefold/cuda/kernel/feed/parked_extremes.hpp"
#include "onefold/cuda/kernel/feed/product_bins.hpp"
#include "onefold/cuda/kernel/feed/product_windows.hpp"
#include "onefold/cuda/kernel/feed/tally.hpp"
#include "onefold/cuda/kernel/feed/windows.hpp"
#include "onefold/cuda/kernel/feed/zeros.hpp"
#include "onefold/cuda/kernel/words.hpp"

namespace onefold::kernel {

// Stands for a feed that a kernel does not have.
struct Unused {};
template <bool used, class Feed>
using UsedIf = Either<used, Feed, Unused>;

// The feed of bins.
//   by_integers   no instruction uses f64, if such a feed exists
template <class M, class T, uint32_t set, int U, int warps, bool by_integers = false>
struct BinsFor {
  static constexpr bool narrow =
      dtype_of<T> == DType::bf16 && !Accumulators(set).has(Accumulator::sumsq);
  using type =
      Either<narrow, HalfBins<M, T, set, U, warps>, Bins<M, T, set, U, warps, by_integers>>;
};
template <class M, uint32_t set, int U, int warps>
struct BinsFor<M, double, set, U, warps> {
  static constexpr bool one = bin_bytes(DType::f64, Accumulators(set)) == 64 * 16;
  using type = Either<one, PairBins<M, set, U>, LimbBins<M, set, U>>;
};
template <class M, class T, uint32_t set, int U, int warps, bool by_integers = false>
using BinsOf = typename BinsFor<M, T, set, U, warps, by_integers>::type;

// Bins for elements that windows cannot hold, in the last launch of a fold. They are set up when
// first needed.
template <class M, class T, uint32_t set, int U, int warps>
struct Deeper {
  BinsOf<M, T, set, U, warps> bins;

  // opened: the bins have been set up.
  ONEFOLD_KERNEL_COLD static void take(M m, Words<M, T, set> words, Deeper& d,
                                       const Chunk<T, U>& chunk, bool opened) {
    if (!opened) d.bins.open(m);
    Chunk<T, U> c = chunk;
    d.bins.clean(m, c, Reach<M, T, U, false>::of(m, c));
    d.bins.add(m, words, c);
  }
  ONEFOLD_KERNEL_COLD static void close(M m, Words<M, T, set> words, Deeper& d) {
    d.bins.close(m, words);
  }
};

}  // namespace onefold::kernel
