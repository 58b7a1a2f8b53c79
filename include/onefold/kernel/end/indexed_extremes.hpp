// The end of extremes with indices (feed/indexed_extremes.hpp): one warp of the last block merges
// the best elements of all blocks (rivals.hpp) and writes the answers.
#pragma once

#include "onefold/kernel/end/rivals.hpp"
#include "onefold/kernel/feed/indexed_extremes.hpp"

namespace onefold::kernel {

// The view of extremes that an op gets. It has the same members as onefold::Gathered.
template <class T>
struct SeenExtremes {
  Rival<T> least, greatest;
  Size first, nan_index;  // indices of the best element and of the first NaN; none: no NaN
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
    return of(a).some() ? first + of(a).stands_at() : none;
  }
  ONEFOLD_KERNEL Extreme extreme(Accumulator a) const {
    Extreme e = extreme_of(index(a), nan_index, nan);
    if (!e.nan && !e.empty) e.value = real_of_key<T>(order_key(a));
    return e;
  }
};
// Writes the answers from the best elements. Called by one thread.
template <class T, uint32_t set, uint32_t ops, class M>
ONEFOLD_KERNEL_COLD void answer_extremes(M m, SeenExtremes<T> g, Results<M, ops> results) {
  if constexpr (ops == 0) {
    using State = StateOf<T, set>;
    const auto put = [&](Accumulator a) {
      const int at = State::offset(a);
      const bool some = g.of(a).some();
      results.state[at] = some ? g.order_key(a)
                          : a == Accumulator::least
                              ? typename accumulator::least<T>::State{}.key
                              : typename accumulator::greatest<T>::State{}.key;
      results.state[at + 1] = static_cast<int64_t>(g.index(a));
      results.state[at + 2] = static_cast<int64_t>(g.nan_index);
    };
    if constexpr (State::has(Accumulator::least)) put(Accumulator::least);
    if constexpr (State::has(Accumulator::greatest)) put(Accumulator::greatest);
  } else {
    int k = 0;
#define ONEFOLD_ENTRY(name)                                                      \
  if constexpr (asks(ops, OpIndex::name##_)) {                                   \
    if constexpr (requires { op::name##_::finish(g); }) {                        \
      put_cold<steps_of<T, ops>()>(m, results.place[k], op::name##_::finish(g)); \
    }                                                                            \
    ++k;                                                                         \
  }
#include "onefold/generated/op.list"
#undef ONEFOLD_ENTRY
  }
}
// Writes the answer of the only op if that is a number of the array's type, or an index. Returns
// false for other answers.
template <class T, uint32_t ops, class M>
ONEFOLD_KERNEL bool put_indexed_extreme(M m, const SeenExtremes<T>& g,
                                        const Results<M, ops>& results) {
  constexpr bool least = asks(ops, OpIndex::min_) || asks(ops, OpIndex::argmin_),
                 value = asks(ops, OpIndex::min_) || asks(ops, OpIndex::max_),
                 index = asks(ops, OpIndex::argmin_) || asks(ops, OpIndex::argmax_);
  if constexpr (count_ops(ops) == 1 && (value || index)) {
    constexpr Accumulator a = least ? Accumulator::least : Accumulator::greatest;
    const Place<M>& place = results.place[0];
    if (!g.of(a).some() || (g.nan_index != none && g.nan != NanPolicy::omit) ||
        place.dtype != (value ? dtype_of<T> : DType::i64)) {
      return false;
    }
    if constexpr (value) {
      const T x = from_order_key<T>(g.order_key(a));
      put_bits(m, place, sizeof(T), bit_cast<bits_of<T>>(x), Status::ok);
    } else {
      put_bits(m, place, 8, g.index(a), Status::ok);
    }
    return true;
  }
  return false;
}

template <class T, uint32_t set, int warps, uint32_t ops, class Feed, class M>
ONEFOLD_KERNEL void end_indexed_extremes(M m, const Feed& mine, Size index_of_first,
                                         unsigned in_block, const Workspace<M>& workspace,
                                         const Results<M, ops>& results) {
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned lane = t % 32, warp = t / 32;
  using All = Rivals<T, set>;
  All all(mine.least, mine.greatest, mine.first_nan);
  all.meet_lanes(m);
  if (in_block > 1) {
    all.template leave_in_block<warps>(m);
    m.sync();
    if (warp != 0) return;
    all.template take_of_block<warps>(m, in_block);
  }
  if (m.blocks() > 1) {
    const auto slots = workspace.words;
    const unsigned blocks = m.blocks();
    uint32_t order = 0;
    if (lane == 0) {
      all.hand_over(m, slots);
      order = draw_ticket(m, workspace.counters);
    }
    // Slots are read before this block knows whether it is last, since most of them are filled by
    // then. With many blocks it does not: all blocks would read the same cache lines.
    const bool one_each = blocks <= 32;
    typename All::Seen first[1];
    if (one_each) {
      if (lane < blocks) first[0].look(m, slots, lane);
      // No word is ever 1. The compiler does not know that, and so loads before the ticket.
      order += m.any(first[0].words[0] == 1) ? 1 : 0;
    }
    if (m.shuffle(order, 0) != blocks - 1) return;
    if (one_each) {
      all.take(m, slots, lane, 32, first);
    } else {
      all.take_all(m, slots, lane, 32);
    }
    all.meet_lanes(m);
  }
  if (lane != 0) return;
  const SeenExtremes<T> g{
      .least = all.least(),
      .greatest = all.greatest(),
      .first = index_of_first,
      .nan_index = all.first_nan == no_tile ? none : index_of_first + all.first_nan,
      .nan = results.nan};
  if (!put_indexed_extreme<T, ops>(m, g, results)) answer_extremes<T, set, ops>(m, g, results);
}

}  // namespace onefold::kernel
