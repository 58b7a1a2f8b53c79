// The words of extremes and counts that a lane holds. For repeated elements they answer the ops
// that need no sums.
#pragma once

#include "onefold/cuda/kernel/answer/gathered.hpp"
#include "onefold/cuda/kernel/weighted/formulas.hpp"

namespace onefold::kernel {

// The accumulators of those ops of a set that have no formula (weighted.hpp).
template <OpSet ops>
constexpr uint32_t counted_set() {
  Accumulators set;
  each_op<ops>([&]<class Op>() {
    if (weighted_formula<Op>(true).of == Statistic::nothing) set = set | Op::about.needs;
  });
  return set.bits;
}

template <class T, uint32_t set>
struct LaneWords {
  using State = StateOf<T, set>;
  enum : int { words = State::words };
  int64_t word[words == 0 ? 1 : words] = {};

  ONEFOLD_KERNEL LaneWords() {
    each_accumulator([&]<class A>(int at) {
      if constexpr (!Additive<A>) put<A>(at, {});
    });
  }
  ONEFOLD_KERNEL void add(T x, Size times, Size index) {
    each_accumulator([&]<class A>(int at) {
      if constexpr (Additive<A>) {
        A::lift([&](int k, int64_t v) { word[at + k] += v * static_cast<int64_t>(times); }, x, 0);
      } else {
        typename A::State s = state<A>(at);
        A::lift(s, x, index);
        put<A>(at, s);
      }
    });
  }
  ONEFOLD_KERNEL void add(const LaneWords& o) {
    each_accumulator([&]<class A>(int at) {
      if constexpr (Additive<A>) {
        ONEFOLD_UNROLL
        for (int k = 0; k < A::words; ++k) word[at + k] += o.word[at + k];
      } else {
        typename A::State s = state<A>(at);
        A::merge(s, o.template state<A>(at));
        put<A>(at, s);
      }
    });
  }
  template <class F>
  ONEFOLD_KERNEL void each(F f) {
    ONEFOLD_UNROLL
    for (int k = 0; k < words; ++k) f(word[k]);
  }
  // Returns the answer to an op. Called by one thread.
  //   memory   shared memory for this thread's words
  template <class Op, class M>
  ONEFOLD_KERNEL Rounded answer(M, Shared<M, int64_t> memory, DType t, NanPolicy nan,
                                const Correction& correction) const {
    ONEFOLD_UNROLL
    for (int k = 0; k < words; ++k) memory[k] = word[k];
    const Gathered<M, T, set> g{
        .words = memory, .found = {}, .difference = {}, .nan = nan, .correction = correction};
    return round<Taking<as_total>>(Op::finish(g), t);
  }

 private:
  template <class A>
  struct Words {
    int64_t w[sizeof(typename A::State) / 8];
  };
  template <class A>
  ONEFOLD_KERNEL typename A::State state(int at) const {
    Words<A> v;
    ONEFOLD_UNROLL
    for (int k = 0; k < A::words; ++k) v.w[k] = word[at + k];
    return bit_cast<typename A::State>(v);
  }
  template <class A>
  ONEFOLD_KERNEL void put(int at, const typename A::State& s) {
    const auto v = bit_cast<Words<A>>(s);
    ONEFOLD_UNROLL
    for (int k = 0; k < A::words; ++k) word[at + k] = v.w[k];
  }
  template <class F>
  ONEFOLD_KERNEL static constexpr void each_accumulator(F f) {
#define ONEFOLD_ENTRY(name)                                                           \
  if constexpr (State::has(Accumulator::name)) {                                      \
    static_assert(                                                                    \
        !requires { accumulator::name<T>::limbs; }, "an op that sums has a formula"); \
    f.template operator()<accumulator::name<T>>(State::offset(Accumulator::name));    \
  }
#include "onefold/generated/accumulator.list"
#undef ONEFOLD_ENTRY
  }
};

}  // namespace onefold::kernel
