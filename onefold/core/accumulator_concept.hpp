// What an accumulator is: a small mergeable state of int64 words, and how one element enters it.
//
//   Additive  merging is adding word by word, so atomics, MPI and NCCL need no operator of ours;
//             `lift` hands (word, value) pairs to a sink
//   Small     at most 32 bytes, with its own `merge`
//
// `lift` is the definition. Backends also have faster loops (feeds), and tests compare the two.
#pragma once

#include "onefold/core/accumulators.hpp"
#include "onefold/core/numeric.hpp"

namespace onefold {

struct NoSink {
  ONEFOLD_FN constexpr void operator()(int, int64_t) const {}
};

// The largest number of 32-bit digits that one `lift`, or a feed for one element, adds to one limb.
// An accumulator that adds more than one declares it as `digits_per_lift`.
template <class A>
constexpr int digits_per_lift() {
  if constexpr (requires { A::digits_per_lift; }) {
    return A::digits_per_lift;
  } else {
    return 1;
  }
}
// A limb of 64 bits takes 2^31 digits of either sign.
template <class A>
concept FitsLimbs = static_cast<Size>(digits_per_lift<A>()) * most_uncarried <= Size{1} << 31;

template <class A>
concept OneInput = requires(typename A::Element x, NoSink add) {
  A::lift(add, x, Size{0});
};
template <class A>
concept TwoInputs = requires(typename A::Element x, NoSink add) {
  A::lift(add, x, x, Size{0});
};

template <class A>
concept Summable = requires(int64_t* w) {
  A::words + 0;
  A::canonicalise(w);
};
template <class A>
concept Additive = Summable<A> &&(OneInput<A> || TwoInputs<A>);

// State{} holds no elements, so merging it changes nothing; a state consists of int64 words.
template <class A>
concept Small = requires(typename A::Element x, typename A::State s) {
  A::lift(s, x, Size{0});
  A::merge(s, s);
  requires sizeof(s) <= 32 && sizeof(s) % 8 == 0;
};

// A Small accumulator of two arrays, which keeps no index.
template <class A>
concept SmallPair = requires(typename A::Element x, typename A::State s) {
  A::lift(s, x, x, Size{0});
  A::merge(s, s);
  requires sizeof(s) <= 32 && sizeof(s) % 8 == 0;
};

#if !defined(__CUDACC_RTC__)
// Reads a small state from its words, or writes it to them.
template <class A>
typename A::State load_state(const int64_t* words) {
  typename A::State s;
  __builtin_memcpy(static_cast<void*>(&s), words, sizeof s);
  return s;
}
template <class A>
void store_state(int64_t* words, const typename A::State& s) {
  __builtin_memcpy(words, &s, sizeof s);
}
#endif

}  // namespace onefold
