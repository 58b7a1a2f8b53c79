// The best elements of all blocks, as ops and states see them.
#pragma once

#include "onefold/cuda/kernel/end/rivals.hpp"
#include "onefold/cuda/kernel/state.hpp"

namespace onefold::kernel {

// The view of extremes that an op gets. It has the same members as onefold::Gathered.
template <class T>
struct SeenExtremes {
  Rival<T> least, greatest;
  Size least_index, greatest_index, nan_index;  // of the first such element; none: there is none
  NanPolicy nan;

  ONEFOLD_KERNEL const Rival<T>& of(Accumulator a) const {
    return a == Accumulator::least ? least : greatest;
  }
  ONEFOLD_KERNEL int64_t order_key(Accumulator a) const {
    const auto key = of(a).key();
    return Keys<T>::order_key_of(
        a == Accumulator::least ? key : static_cast<typename Keys<T>::Key>(~key));
  }
  ONEFOLD_KERNEL Size index(Accumulator a) const {
    return a == Accumulator::least ? least_index : greatest_index;
  }
  ONEFOLD_KERNEL Extreme extreme(Accumulator a) const {
    Extreme e = extreme_of(index(a), nan_index, nan);
    if (!e.nan && !e.empty) e.value = real_of_key<T>(order_key(a));
    return e;
  }
  // Writes the words of a state. Called by one thread.
  template <uint32_t set, class Words>
  ONEFOLD_KERNEL void put_state(Words state) const {
    put_state_of<set, accumulator::least<T>>(Accumulator::least, state);
    put_state_of<set, accumulator::greatest<T>>(Accumulator::greatest, state);
  }

 private:
  template <uint32_t set, class Its, class Words>
  ONEFOLD_KERNEL void put_state_of(Accumulator a, Words state) const {
    if (!Accumulators(set).has(a)) return;
    const int at = StateOf<T, set>::offset(a);
    state[at] = of(a).some() ? order_key(a) : typename Its::State{}.key;
    state[at + 1] = static_cast<int64_t>(index(a));
    state[at + 2] = static_cast<int64_t>(nan_index);
  }
};

// Whether the only op of a kernel asks for the value of one extreme, or for its index.
template <OpSet ops>
struct OnlyExtreme {
  static constexpr bool least = asks(ops, OpIndex::min_) || asks(ops, OpIndex::argmin_),
                        value = asks(ops, OpIndex::min_) || asks(ops, OpIndex::max_),
                        index = asks(ops, OpIndex::argmin_) || asks(ops, OpIndex::argmax_),
                        is_one = count_ops(ops) == 1 && (value || index);

  // Returns whether `best` is the answer, as a number of the array's type or as an index.
  template <class T, class M>
  ONEFOLD_KERNEL static bool answers(const Rival<T>& best, bool nan,
                                     const Results<M, ops>& results) {
    return best.some() && !(nan && results.nan != NanPolicy::omit) &&
           results.place[0].dtype == (value ? dtype_of<T> : DType::i64);
  }
  // Writes the answer. Called by one thread.
  template <class T, class M>
  ONEFOLD_KERNEL static void put(M m, const Rival<T>& best, Size at,
                                 const Results<M, ops>& results) {
    const Place<M>& place = results.place[0];
    if constexpr (value) {
      const auto key = least ? best.key() : static_cast<typename Rival<T>::Key>(~best.key());
      const T x = from_order_key<T>(Keys<T>::order_key_of(key));
      put_bits(m, place, sizeof(T), bit_cast<bits_of<T>>(x), Status::ok);
    } else {
      put_bits(m, place, 8, at, Status::ok);
    }
  }
};

}  // namespace onefold::kernel
