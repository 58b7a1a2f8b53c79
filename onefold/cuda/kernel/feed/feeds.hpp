// All feeds that a thread needs for a set of accumulators, as members of one class.
#pragma once

#include "onefold/cuda/kernel/end/extremes.hpp"
#include "onefold/cuda/kernel/feed/choice.hpp"

namespace onefold::kernel {

// The feeds of one thread for a set of accumulators.
template <class M, class T, uint32_t set, int U, int warps, Stage stage>
struct Feeds {
  static constexpr Accumulators in{set};
  static constexpr Accumulators sums = Accumulator::sum | Accumulator::sumabs | Accumulator::sumsq;
  static constexpr bool real = dtype_of<T> == DType::f32 || dtype_of<T> == DType::f64;
  // In the launch `bins`, bf16 is summed as f32.
  static constexpr bool binned = stage == Stage::bins;
  static constexpr bool has_reals =
      (real || (binned && dtype_of<T> == DType::bf16)) && !(in & sums).empty();
  static constexpr bool has_halves =
      Floating<T> && sizeof(T) == 2 && !(in & sums).empty() && !has_reals;
  static constexpr bool has_integers = !Floating<T> && !(in & sums).empty();
  static constexpr bool has_products = Floating<T> && in.has(Accumulator::dot);
  static_assert(!has_products ||
                    fed_of(dtype_of<T>, in).within(Accumulator::dot | Accumulator::tally),
                "folds take one array, or two");
  // True if sums may refuse a chunk.
  static constexpr bool may_lack =
      ((has_reals || has_products) && !binned) || (has_halves && dtype_of<T> == DType::bf16);
  // True if warps that give up tiles continue with bins in the same launch.
  static constexpr bool goes_on = stage == Stage::single && has_products;
  static constexpr bool has_counts =
      Floating<T> && !has_reals && (has_halves || in.has(Accumulator::tally));
  static constexpr bool has_zeros = in.has(Accumulator::zeros);
  static constexpr bool has_extremes = in.has(Accumulator::least) || in.has(Accumulator::greatest);
  static constexpr bool has_reach =
      Floating<T> && sizeof(T) >= 4 && (has_reals || has_extremes) && stage != Stage::digits;
  // If all results are in a few totals, blocks pass them on (end/arrivals.hpp), except in a launch
  // that others follow. Blocks can pass on at most eight totals; all sums of 64-bit integers would
  // be ten.
  static constexpr bool many_totals = has_integers && sizeof(T) == 8 && sums.within(in);
  static constexpr bool counted = in.within(sums | Accumulator::tally) && !many_totals &&
                                  (has_integers || (has_reals && takes_all(stage)) ||
                                   (has_halves && (takes_all(stage) || !may_lack)));
  // The same for the first of several launches, whose windows may leave tiles to later ones. Not
  // for the five totals of var of f64: they would take a register that the loop needs.
  static constexpr bool five_totals = has_reals && WindowShape<T, set, false>::count > 4;
  static constexpr bool arrives = stage == Stage::first && may_lack && !has_products &&
                                  in.within(sums | Accumulator::tally) && !five_totals;
  static constexpr bool has_deeper = has_reals && takes_all(stage);
  static constexpr Accumulators extremal = Accumulator::least | Accumulator::greatest;
  // The tally of integers is the number of elements, which the end of the kernel knows.
  static constexpr Accumulators by_number =
      Floating<T> ? Accumulators() : Accumulators(Accumulator::tally);
  // The accumulators that are lifted. In chunks: those without a feed. Outside of full tiles: all.
  static constexpr Accumulators of_chunks{set & ~fed_of(dtype_of<T>, in).bits};
  static_assert(of_chunks.within(additive_of<T>()),
                "an accumulator that is not additive cannot be lifted by atomics: it needs a feed");
  static constexpr Accumulators of_elements{set & ~(extremal | by_number).bits};

  // The feed of bins is no member of this class, whose members stay in registers: it is passed by
  // reference.
  using Deeper = UsedIf<has_deeper, kernel::Deeper<M, T, set, U, warps>>;

  template <class Others>
  using WindowsOr = Either<stage == Stage::digits, DigitWindows<M, T, set, U, warps>, Others>;
  using Reals = Either<binned, BinsOf<M, T, set, U, warps>,
                       WindowsOr<Windows<M, T, set, U, warps, stage == Stage::wide>>>;
  using Products =
      Either<binned, ProductBins<M, T, set, U, warps>, kernel::Products<M, T, set, U, warps>>;
  // If the same kernel has sums, extremes have code that needs few registers.
  using Extremal = Either<may_lack && has_reals, ParkedExtremes<M, T, set, U, warps>,
                          Extremes<M, T, set, U, warps>>;

  UsedIf<has_reals, Reals> reals;
  UsedIf<has_halves, WindowsOr<Halves<M, T, set, U, warps>>> halves;
  UsedIf<has_integers, Integers<M, T, set, U, warps>> integers;
  UsedIf<has_products, Products> products;
  UsedIf<has_counts, Counts<M, T, set, U, warps>> counts;
  UsedIf<has_zeros, Zeros<M, T, set, U, warps>> zeros;
  UsedIf<has_extremes, Extremal> extremes;

  // Returns the feed whose sums end/sums.hpp passes on together with counts.
  ONEFOLD_KERNEL auto& counted_feed() {
    if constexpr (has_reals) {
      return reals;
    } else if constexpr (has_halves) {
      return halves;
    } else {
      return integers;
    }
  }
  ONEFOLD_KERNEL bool some_not_negative_zero() const {
    if constexpr (has_reals) {
      return reals.some_not_negative_zero;
    } else if constexpr (has_counts) {
      return counts.some_not_negative_zero;
    } else {
      return false;
    }
  }
  ONEFOLD_KERNEL void open(M m) {
    if constexpr (has_reals) reals.open(m);
    if constexpr (has_halves) halves.open();
    if constexpr (has_integers) integers.open();
    if constexpr (has_products) products.open(m);
    if constexpr (has_counts) counts.open();
    if constexpr (has_zeros) zeros.open();
    if constexpr (has_extremes) extremes.open(m);
  }
  using Reach = UsedIf<has_reach, kernel::Reach<M, T, U, has_extremes>>;
  ONEFOLD_KERNEL Reach reach(M m, const Chunk<T, U>& c) const {
    if constexpr (has_reach) {
      return Reach::of(m, c);
    } else {
      return {};
    }
  }
  using SumFeed = Either<has_products, decltype(products),
                         Either<has_halves, decltype(halves), decltype(reals)>>;
  ONEFOLD_KERNEL SumFeed& sum_feed() {
    if constexpr (has_products) {
      return products;
    } else if constexpr (has_halves) {
      return halves;
    } else {
      return reals;
    }
  }
  // Decides what to do with a chunk, and with the second array's chunk.
  ONEFOLD_KERNEL auto fit(M m, Words<M, T, set> words, const Chunk<T, U>& c, const Chunk<T, U>& y,
                          const Reach& reach, bool may_give_up) {
    if constexpr (has_products) {
      return products.fit(m, words, c, y, may_give_up);
    } else {
      return sum_feed().fit(m, words, c, reach, may_give_up);
    }
  }
  // Adds a chunk of which some elements must be lifted. Returns false if it is left to a later
  // launch.
  ONEFOLD_KERNEL bool add_partly(M m, Words<M, T, set> words, Chunk<T, U>& c, Chunk<T, U>& y,
                                 uint32_t tile, bool may_give_up) {
    if constexpr (has_products) {
      const bool made =
          products.make_fit(m, words, c, y, may_give_up, [&] { lift_chunk(m, words, c, y); });
      if (!made) return false;
      products.template add<true>(m, words, c, y);
    } else {
      const bool made = sum_feed().make_fit(m, words, c, may_give_up, [&] {
        if constexpr (has_extremes) extremes.add_any(m, c, tile);
        add_beside(m, words, c, y, true);
      });
      if (!made) return false;
      sum_feed().template add<true>(m, words, c);
    }
    if constexpr (has_counts) counts.add_finite(c);
    return true;
  }
  // Adds a warp's tiles from i on by bins, once windows of products have refused one.
  template <class Load>
  ONEFOLD_KERNEL void go_on(M m, Words<M, T, set> words, Size i, Size end, Size step,
                            const Load& load) {
    products.spill(m, words);
    ProductBins<M, T, set, U, warps> bins;
    bins.open(m);
    ONEFOLD_NO_UNROLL
    for (; i < end; i += step) {
      Chunk<T, U> x, y;
      load(i, x, y);
      lift_chunk(m, words, x, y);
      bins.add(m, words, x, y);
    }
    bins.close(m, words);
  }
  // Adds a chunk to bins.
  ONEFOLD_KERNEL void add_deeper(M m, Words<M, T, set> words, const Chunk<T, U>& c, uint32_t tile,
                                 Deeper& deeper, bool& opened) {
    if constexpr (has_extremes) extremes.add_any(m, c, tile);
    add_beside(m, words, c, c, true);
    Deeper::take(m, words, deeper, c, opened);
    opened = true;
  }
  // Lifts a chunk's elements; called before a feed changes the chunk.
  ONEFOLD_KERNEL static void lift_chunk(M m, Words<M, T, set> words, const Chunk<T, U>& c,
                                        const Chunk<T, U>& y) {
    if constexpr (!of_chunks.empty()) {
      ONEFOLD_NO_UNROLL
      for (int k = 0; k < Chunk<T, U>::elements; ++k) {
        lift<of_chunks.bits>(m, words, c.element(k), (takes_two<T, set>() ? y : c).element(k));
      }
    }
  }
  // Passes a chunk to the feeds that read it unchanged, also if sums then refuse it.
  ONEFOLD_KERNEL void add_beside(M m, Words<M, T, set> words, const Chunk<T, U>& c,
                                 const Chunk<T, U>& y, bool may_have_zeros) {
    lift_chunk(m, words, c, y);
    if constexpr (has_zeros) {
      if (may_have_zeros) zeros.add(m, c);
    }
  }
  // Sums and counts replace special elements by -0, so they come last.
  ONEFOLD_KERNEL void add(M m, Words<M, T, set> words, Chunk<T, U>& c, Chunk<T, U>& y,
                          const Reach& reach, uint32_t tile) {
    if constexpr (has_extremes) extremes.add(m, c, reach, tile);
    if constexpr (has_reach) {
      add_beside(m, words, c, y, reach.least == 0);
    } else {
      add_beside(m, words, c, y, true);
    }
    if constexpr (has_integers) integers.add(c);
    if constexpr (has_products) products.add(m, words, c, y);
    if constexpr (has_reals && binned) reals.clean(m, c, reach);
    if constexpr (has_counts && may_lack) {
      counts.add_finite(c);
    } else if constexpr (has_counts) {
      counts.add(m, c);
    }
    if constexpr (has_reals || has_halves) sum_feed().add(m, words, c);
  }
  ONEFOLD_KERNEL void add(M m, Words<M, T, set> words, T x, T y, uint32_t tile) {
    if constexpr (has_extremes) extremes.add(m, x, tile);
    if constexpr (!of_elements.empty()) lift<of_elements.bits>(m, words, x, y);
  }
  // Adds the warp's sums to the workspace's words.
  ONEFOLD_KERNEL void leave(M m, Words<M, T, set> words) {
    if (in.has(Accumulator::tally) && m.any(some_not_negative_zero()) &&
        static_cast<unsigned>(m.lane()) == 0) {
      words.add(m, Accumulator::tally, accumulator::tally<T>::not_negative_zero, 1);
    }
    counted_feed().spill(m, words);
  }
  ONEFOLD_KERNEL void close(M m, Words<M, T, set> words, const Workspace<M>& workspace, Size place,
                            Deeper& deeper, bool opened) {
    if constexpr (has_deeper) {
      if (opened) Deeper::close(m, words, deeper);
    }
    if constexpr (has_reals) reals.close(m, words);
    if constexpr (has_halves) halves.close(m, words);
    if constexpr (has_integers) integers.close(m, words);
    if constexpr (has_products) products.close(m, words);
    if constexpr (has_counts) counts.close(m, words);
    if constexpr (has_zeros) zeros.close(m, words);
    if constexpr (has_extremes) {
      leave_extremes<T, set, warps>(m, extremes.get(m), workspace, static_cast<unsigned>(place));
    }
  }
};

}  // namespace onefold::kernel
