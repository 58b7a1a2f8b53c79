// Chooses the feed of each accumulator, by element type, set of accumulators and stage.
#pragma once

#include "onefold/kernel/either.hpp"
#include "onefold/kernel/feed/bins.hpp"
#include "onefold/kernel/feed/digit_windows.hpp"
#include "onefold/kernel/feed/extremes.hpp"
#include "onefold/kernel/feed/half_bins.hpp"
#include "onefold/kernel/feed/half_windows.hpp"
#include "onefold/kernel/feed/integers.hpp"
#include "onefold/kernel/feed/pair_bins.hpp"
#include "onefold/kernel/feed/parked_extremes.hpp"
#include "onefold/kernel/feed/product_bins.hpp"
#include "onefold/kernel/feed/product_windows.hpp"
#include "onefold/kernel/feed/tally.hpp"
#include "onefold/kernel/feed/windows.hpp"
#include "onefold/kernel/feed/zeros.hpp"
#include "onefold/kernel/words.hpp"

namespace onefold::kernel {

// Stands for a feed that is not wanted.
struct Unused {};
template <bool used, class Feed>
struct UsedIf {
  using type = Feed;
};
template <class Feed>
struct UsedIf<false, Feed> {
  using type = Unused;
};

// The feed of f32 and f64 at a stage; for bf16, the feed of bins.
template <class M, class T, uint32_t set, int U, int warps, Stage stage>
struct RealsAt {
  using type = typename Either<stage == Stage::digits, DigitWindows<M, T, set, U, warps>,
                               Windows<M, T, set, U, warps, stage == Stage::wide>>::type;
};
template <class M, class T, uint32_t set, int U, int warps>
struct RealsAt<M, T, set, U, warps, Stage::bins> {
  static constexpr bool narrow =
      dtype_of<T> == DType::bf16 && !Accumulators(set).has(Accumulator::sumsq);
  using type =
      typename Either<narrow, HalfBins<M, T, set, U, warps>, Bins<M, T, set, U, warps>>::type;
};
template <class M, uint32_t set, int U, int warps>
struct RealsAt<M, double, set, U, warps, Stage::bins> {
  static constexpr bool one = bin_bytes(DType::f64, Accumulators(set)) == 64 * 16;
  using type = typename Either<one, PairBins<M, set, U>, LimbBins<M, set, U>>::type;
};

// The feed of f16 and bf16 at a stage other than bins.
template <class M, class T, uint32_t set, int U, int warps, Stage stage>
struct HalvesAt {
  using type = typename Either<stage == Stage::digits, DigitWindows<M, T, set, U, warps>,
                               Halves<M, T, set, U, warps>>::type;
};

// The bins to which a launch of all elements gives what fits no window.
//   by_integers   no instruction uses f64
template <class M, class T, uint32_t set, int U, int warps, bool by_integers>
struct BinsBeside {
  static constexpr bool narrow =
      dtype_of<T> == DType::bf16 && !Accumulators(set).has(Accumulator::sumsq);
  using type = typename Either<by_integers && !narrow, Bins<M, T, set, U, warps, true>,
                               typename RealsAt<M, T, set, U, warps, Stage::bins>::type>::type;
};

// The feed of products at a stage.
template <class M, class T, uint32_t set, int U, int warps, bool binned>
struct ProductsAt {
  using type = Products<M, T, set, U, warps>;
};
template <class M, class T, uint32_t set, int U, int warps>
struct ProductsAt<M, T, set, U, warps, true> {
  using type = ProductBins<M, T, set, U, warps>;
};

// Extremes; if the same kernel has sums, with code that needs few registers.
template <class M, class T, uint32_t set, int U, int warps, bool sums>
struct ExtremesBeside {
  using type = Extremes<M, T, set, U, warps>;
};
template <class M, class T, uint32_t set, int U, int warps>
struct ExtremesBeside<M, T, set, U, warps, true> {
  using type = ParkedExtremes<M, T, set, U, warps>;
};

// Bins for elements that windows cannot hold, if no other launch follows. They are set up when
// first needed.
template <class M, class T, uint32_t set, int U, int warps>
struct Deeper {
  typename RealsAt<M, T, set, U, warps, Stage::bins>::type bins;

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
