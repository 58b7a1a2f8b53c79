// Where the words of a state stand, known when a kernel is compiled: for element type T and a set
// of accumulators, the same as plan/table.hpp's layout_of.
#pragma once

#include "onefold/accumulator.hpp"
#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

// Not by `visit`, which makes each accumulator of each type: a fifth of a small kernel's front end.
template <class T>
constexpr int words_of(Accumulator a) {
  switch (a) {
#define ONEFOLD_ENTRY(name) \
  case Accumulator::name:   \
    return accumulator::name<T>::words;
#include "onefold/generated/accumulator.list"
#undef ONEFOLD_ENTRY
  }
  return 0;
}

static_assert(accumulator_count <= 32, "a set of accumulators is a uint32_t");

// Words of a state of all accumulators.
template <class T>
constexpr int most_words_of() {
  int n = 0;
  for (int k = 0; k < accumulator_count; ++k) n += words_of<T>(static_cast<Accumulator>(k));
  return n;
}

template <class T, uint32_t bits>
struct StateOf {
  static constexpr Accumulators set{bits};

  static constexpr bool has(Accumulator a) { return set.has(a); }
  // Also of an `a` that is known when the kernel runs: an addition for each that the set has.
  static constexpr int offset(Accumulator a) {
    int words = 0;
#define ONEFOLD_ENTRY(name)             \
  if constexpr (has(Accumulator::name)) \
    words += Accumulator::name < a ? accumulator::name<T>::words : 0;
#include "onefold/generated/accumulator.list"
#undef ONEFOLD_ENTRY
    return words;
  }
  // The same of the words of one.
  static constexpr int size(Accumulator a) {
    int words = 0;
#define ONEFOLD_ENTRY(name)             \
  if constexpr (has(Accumulator::name)) \
    words = Accumulator::name == a ? accumulator::name<T>::words : words;
#include "onefold/generated/accumulator.list"
#undef ONEFOLD_ENTRY
    return words;
  }
  static constexpr int words = [] {
    int n = 0;
    for (int k = 0; k < accumulator_count; ++k) {
      if (has(static_cast<Accumulator>(k))) n += words_of<T>(static_cast<Accumulator>(k));
    }
    return n;
  }();
};

// Blocks add to one of these many copies of the words, so that few meet at one address.
inline constexpr int replicas = 16;

// Totals that blocks hand over, two words each and one more: neighbours, for one packet takes them
// to one slice of the cache, and there is nothing left to wait for.
inline constexpr int most_arrivals = 8191, most_totals = 8, arrival_words = 2 * most_totals + 1;

// Words that a block hands over of extremes (rivals.hpp).
inline constexpr int most_rival_words = 5;

// What a block leaves of least and greatest: keys, and the tiles where they first stand.
enum : int { least_key, least_tile, greatest_key, greatest_tile, nan_tile, block_words };

// The launches of one fold: each takes what the one before gave up (thread/windows.hpp, bins.hpp).
// `single` is instead of all: what windows cannot hold goes to bins of its own. `small` is the same
// of fewer than 2^31 elements, in small parts.
enum class Stage : uint8_t { first, wide, bins, single, small };
ONEFOLD_FN constexpr bool takes_all(Stage d) { return d == Stage::single || d == Stage::small; }

// Those of a set that feeds take (thread/thread.hpp); whatever else it has is lifted.
ONEFOLD_FN constexpr Accumulators fed_of(DType t, Accumulators set) {
  Accumulators fed = (Accumulator::sum | Accumulator::sumabs) |
                     (Accumulator::sumsq | Accumulator::tally) | Accumulator::zeros |
                     (Accumulator::least | Accumulator::greatest);
  if (is_floating(t)) fed = fed | Accumulators(Accumulator::dot);
  return fed & set;
}

// Bins of products (thread/product_bins.hpp), and the first of them by exponent.
ONEFOLD_FN constexpr int product_bins(DType t) {
  return t == DType::f32 ? 18 : t == DType::bf16 ? 33 : 6;
}
ONEFOLD_FN constexpr int first_product_bin(DType t) {
  return t == DType::f32 ? 22 : t == DType::bf16 ? 47 : 60;
}
// The f64 of a bin (thread/bins.hpp), and the bytes of a lane's bins; of f64 they are limbs
// (thread/limb_bins.hpp), but for one sum by itself (thread/pair_bins.hpp).
ONEFOLD_FN constexpr int bin_pieces(Accumulators set) {
  return set.has(Accumulator::sum) + set.has(Accumulator::sumabs) + 2 * set.has(Accumulator::sumsq);
}
ONEFOLD_FN constexpr int bin_bytes(DType t, Accumulators set) {
  const bool dot = set.has(Accumulator::dot);
  if (t == DType::f64) {
    const int of_x = set.has(Accumulator::sum) + set.has(Accumulator::sumabs);
    const bool wide = dot || set.has(Accumulator::sumsq);
    return of_x == 1 && !wide ? 64 * 16 : 8 * (66 * of_x + 132 * wide);
  }
  if (dot) return product_bins(t) * (bytes_of(t) == 2 ? 8 : 16);
  return 16 * bin_pieces(set) * 8;
}
// Whether a fold only counts (counting.hpp).
ONEFOLD_FN constexpr bool only_counts(DType t, Accumulators set) {
  return set.within(Accumulator::zeros | Accumulator::tally) &&
         (set.has(Accumulator::zeros) || (is_floating(t) && !set.empty()));
}
// Whether it is what few_extremes.hpp folds at Stage::small.
ONEFOLD_FN constexpr bool only_extremes(Accumulators set) {
  return set.within(Accumulator::least | Accumulator::greatest) && !set.empty();
}
// Whether a fold has it: windows for most data, wider ones for squares, bins for all else.
ONEFOLD_FN constexpr bool has_launch(DType t, Accumulators set, Stage stage) {
  if (stage == Stage::first) return true;
  if (only_counts(t, set) || only_extremes(set)) return stage == Stage::small;
  const bool real = t == DType::f32 || t == DType::f64;
  if (set.has(Accumulator::dot)) {
    return is_floating(t) && (stage == Stage::bins || stage == Stage::single);
  }
  const bool squares = set.has(Accumulator::sumsq);
  const bool sums = squares || set.has(Accumulator::sum) || set.has(Accumulator::sumabs);
  if (stage == Stage::wide) return real && squares;
  const bool only = set.within(Accumulator::sum | Accumulator::sumabs |
                               (Accumulator::sumsq | Accumulator::tally));
  if (stage == Stage::small) return only && sums;
  if (t == DType::bf16) return sums && (stage == Stage::bins || only);
  return real && sums;
}
// Whether near_sum.hpp folds it, in one launch of any size.
ONEFOLD_FN constexpr bool is_near_sum(DType t, Accumulators set) {
  return (t == DType::f32 || t == DType::bf16) &&
         set.has(Accumulator::sum) != set.has(Accumulator::sumabs) &&
         set.within(Accumulator::tally | (Accumulator::sum | Accumulator::sumabs));
}
// Whether a launch has bins, in shared memory.
ONEFOLD_FN constexpr bool has_bins(DType t, Accumulators set, Stage stage) {
  return (stage == Stage::bins || takes_all(stage)) && has_launch(t, set, stage) &&
         has_launch(t, set, Stage::bins);
}

// What a launch folds.
template <class M, class T>
struct Input {
  In<M, T> x, y;  // y: only where an accumulator takes two
  Size n = 0;
  Size first = 0;  // the index of the first element
};

// Between launches all of it is zero, but for `blocks`, `lists` and `state`, which need not be.
template <class M>
struct Workspace {
  Out<M, uint32_t> counters;
  Out<M, int64_t> words;   // replicas x words, then arrivals (arrivals.hpp); or rivals
  Out<M, int64_t> blocks;  // block_words a block of any launch
  Out<M, uint32_t> lists;  // of what was given up (lists.hpp)
};
// p[k], which others add to meanwhile: a relaxed load.
template <class T, class M>
ONEFOLD_KERNEL T load_relaxed(M m, Out<M, T> p, int k) {
#if defined(__CUDA_ARCH__)
  static_cast<void>(m);
  T v;
  if constexpr (sizeof(T) == 8) {
    asm volatile("ld.relaxed.gpu.b64 %0, [%1];" : "=l"(v) : "l"(p + k));
  } else {
    asm volatile("ld.relaxed.gpu.b32 %0, [%1];" : "=r"(v) : "l"(p + k));
  }
  return v;
#else
  return m.add(p, k, T{0});
#endif
}

// Of each launch its ticket; the entries of the two lists of warps and of the list of blocks.
enum : int { tickets, entries = 3, block_entries = 5, counters };

}  // namespace onefold::kernel
