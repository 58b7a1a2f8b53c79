// Adds elements one by one to a state's words, by `lift` and atomics: rare elements, and those of
// accumulators without a feed. The least and the greatest are in feed/extremes.hpp.
#pragma once

#include "onefold/cuda/kernel/state.hpp"
#include "onefold/cuda/kernel/workspace.hpp"

namespace onefold::kernel {

// The words to which a lane adds: one of several copies (replicas), chosen by its block.
template <class M, class T, uint32_t set>
struct Words {
  using State = StateOf<T, set>;
  Out<M, int64_t> words;

  ONEFOLD_KERNEL Words(M m, const Workspace<M>& w)
      : words(w.words + m.block() % replicas * State::words) {}
  ONEFOLD_KERNEL void add(M m, Accumulator a, int word, int64_t v) const {
    if (v != 0) m.add(words, State::offset(a) + word, v);
  }
  // Adds v * 2^position, in units of limb 0's lowest bit; v has any sign. Bits below that are 0.
  ONEFOLD_KERNEL void deposit(M m, Accumulator a, int64_t v, int position) const {
    if (v == 0) return;
    if (position < 0) {
      v >>= -position;
      position = 0;
    }
    const int r = position & 31;
    const auto limbs = words + (State::offset(a) + (position >> 5));
    const uint64_t low = static_cast<uint64_t>(v) << r;
    const int64_t high = v >> 1 >> (63 - r);
    if (static_cast<uint32_t>(low) != 0) m.add(limbs, 0, static_cast<int64_t>(low & 0xffffffff));
    if (low >> 32 != 0) m.add(limbs, 1, static_cast<int64_t>(low >> 32));
    if (high != 0) m.add(limbs, 2, high);
  }
  // Does the same for a value of up to 96 bits.
  ONEFOLD_KERNEL void deposit(M m, Accumulator a, Int128 v, int position) const {
    if (v == 0) return;
    if (position < 0) {
      v >>= -position;
      position = 0;
    }
    const auto limbs = words + (State::offset(a) + (position >> 5));
    v *= int64_t{1} << (position & 31);
    const auto low = static_cast<uint64_t>(v);
    if (static_cast<uint32_t>(low) != 0) m.add(limbs, 0, static_cast<int64_t>(low & 0xffffffff));
    if (low >> 32 != 0) m.add(limbs, 1, static_cast<int64_t>(low >> 32));
    if (v >> 64 != 0) m.add(limbs, 2, static_cast<int64_t>(v >> 64));
  }
};

// The accumulators that atomics can add to; an accumulator without a feed must be one of these.
template <class T>
constexpr Accumulators additive_of() {
  Accumulators set;
#define ONEFOLD_ENTRY(name) \
  if (Additive<accumulator::name<T>>) set = set | Accumulators(Accumulator::name);
#include "onefold/generated/accumulator.list"
#undef ONEFOLD_ENTRY
  return set;
}

// Returns whether some accumulators of a set take two arrays.
template <class T, uint32_t set>
constexpr bool takes_two() {
  bool two = false;
#define ONEFOLD_ENTRY(name)                               \
  if constexpr (Accumulators(set).has(Accumulator::name)) \
    two = two || TwoInputs<accumulator::name<T>> || SmallPair<accumulator::name<T>>;
#include "onefold/generated/accumulator.list"
#include "onefold/generated/pair.list"
#undef ONEFOLD_ENTRY
  return two;
}

// Lifts x (and y, for accumulators of two arrays) into the accumulators of `which`, a subset of
// `set`; all must be additive. The count n is not changed: the end of the kernel adds it.
template <uint32_t which, class T, uint32_t set, class M>
ONEFOLD_KERNEL_COLD void lift(M m, Words<M, T, set> words, T x, T y) {
  const auto one = [&]<class A>(Accumulator a) {
    const auto sink = [&](int word, int64_t v) { words.add(m, a, word, v); };
    if constexpr (!Additive<A>) {
    } else if constexpr (TwoInputs<A>) {
      A::lift(sink, x, y, 0);
    } else {
      A::lift(sink, x, 0);
    }
  };
#define ONEFOLD_ENTRY(name)                                           \
  if constexpr (Accumulators(which).has(Accumulator::name)) {         \
    one.template operator()<accumulator::name<T>>(Accumulator::name); \
  }
#include "onefold/generated/accumulator.list"
#undef ONEFOLD_ENTRY
}

}  // namespace onefold::kernel
