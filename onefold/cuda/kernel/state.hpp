// Offsets of the words of a state, for element type T and a set of accumulators: known when a
// kernel is compiled, and equal to layout_of of onefold/engine/plan/table.hpp.
#pragma once

#include "onefold/core/accumulator.hpp"
#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

// A table of word counts, instead of instantiating each accumulator for each type by `visit`, which
// takes a fifth of a small kernel's compile time.
template <class T>
constexpr int words_of(Accumulator a) {
  switch (a) {
#define ONEFOLD_ENTRY(name) \
  case Accumulator::name:   \
    return accumulator::name<T>::words;
#include "onefold/generated/accumulator.list"
#include "onefold/generated/pair.list"
#undef ONEFOLD_ENTRY
  }
  return 0;
}

static_assert(every_accumulator <= 32, "a set of accumulators is a uint32_t");

// The number of words of a state that has all accumulators except those of pairs.
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
  // If `a` is known only when the kernel runs, this takes an addition for each accumulator of the
  // set.
  static constexpr int offset(Accumulator a) {
    int words = 0;
#define ONEFOLD_ENTRY(name)             \
  if constexpr (has(Accumulator::name)) \
    words += Accumulator::name < a ? accumulator::name<T>::words : 0;
#include "onefold/generated/accumulator.list"
#include "onefold/generated/pair.list"
#undef ONEFOLD_ENTRY
    return words;
  }
  // Returns the number of words of one accumulator.
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
    for (int k = 0; k < 32; ++k) {
      if (has(static_cast<Accumulator>(k))) n += words_of<T>(static_cast<Accumulator>(k));
    }
    return n;
  }();
};

}  // namespace onefold::kernel
