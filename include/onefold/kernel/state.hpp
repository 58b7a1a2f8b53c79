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

template <class T, uint32_t bits>
struct StateOf {
  static constexpr Accumulators set{bits};

  static constexpr bool has(Accumulator a) { return set.has(a); }
  static constexpr int offset(Accumulator a) {
    int words = 0;
    for (int k = 0; k < static_cast<int>(a); ++k) {
      if (has(static_cast<Accumulator>(k))) words += words_of<T>(static_cast<Accumulator>(k));
    }
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

// What a block leaves of least and greatest: keys, and the tiles where they first stand.
enum : int { least_key, least_tile, greatest_key, greatest_tile, nan_tile, block_words };

// Between launches all of it is zero, but for `blocks` and `state`, which need not be.
template <class M>
struct Workspace {
  Out<M, uint32_t> counters;  // ticket, and how long the list is
  Out<M, int64_t> words;      // replicas x words
  Out<M, int64_t> blocks;     // block_words a block
};
enum : int { ticket, counters };

}  // namespace onefold::kernel
