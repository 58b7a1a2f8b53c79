// The end of a launch that finds only extremes. Blocks pass on their best elements (rivals.hpp);
// the last block merges them, searches the tile of the best element for its index, and writes the
// answers.
#pragma once

#include "onefold/kernel/end/left_extremes.hpp"
#include "onefold/kernel/end/rivals.hpp"

namespace onefold::kernel {

// Writes the answer of the only op if that is an extreme of the array's type, or its index. Returns
// false if general code must answer. Called by a block.
template <class T, uint32_t set, int U, int warps, uint32_t ops, class M, class Input>
ONEFOLD_KERNEL bool put_extreme(M m, const Input& input, const Tiles<T, U>& tiles,
                                const typename LeftExtremes<M, T, set, U, warps>::Found& found,
                                const Results<M, ops>& results) {
  constexpr bool least = asks(ops, OpIndex::min_) || asks(ops, OpIndex::argmin_),
                 value = asks(ops, OpIndex::min_) || asks(ops, OpIndex::max_),
                 index = asks(ops, OpIndex::argmin_) || asks(ops, OpIndex::argmax_);
  if constexpr (count_ops(ops) == 1 && (value || index)) {
    const Place<M>& place = results.place[0];
    const uint32_t tile = least ? found.low_tile : found.high_tile;
    if (tile == no_tile || place.dtype != (value ? dtype_of<T> : DType::i64) ||
        (found.nan_tile != no_tile && results.nan != NanPolicy::omit)) {
      return false;
    }
    const auto key = least ? found.low : found.high;
    if constexpr (value) {
      if (static_cast<unsigned>(m.thread()) == 0) {
        const T x = from_order_key<T>(Keys<T>::order_key_of(key));
        put_bits(m, place, sizeof(T), bit_cast<bits_of<T>>(x), Status::ok);
      }
    } else {
      const uint32_t offset =
          first_in_tile<warps>(m, input, tiles, tile, [=](auto k) { return k == key; });
      if (static_cast<unsigned>(m.thread()) == 0) {
        put_bits(m, place, 8, input.first + tiles.of(tile).begin + offset, Status::ok);
      }
    }
    return true;
  }
  return false;
}

// Merges the blocks' best elements and writes the answers. Called by the last block.
template <class T, uint32_t set, int U, int warps, uint32_t ops, class M, class Input>
ONEFOLD_KERNEL_COLD void finish_extremes(M m, Input input, Workspace<M> workspace,
                                         Tiles<T, U> tiles, Results<M, ops> results) {
  using All = LeftExtremes<M, T, set, U, warps>;
  using Best = kernel::Best<typename All::Key>;
  constexpr bool indices = ops == 0 || uses_index(ops);
  const unsigned blocks = m.blocks();
  Rivals<T, set> all(Best{0, no_tile}, Best{0, no_tile}, no_tile);
  if (blocks > 1) {
    all.take_all(m, workspace.words, static_cast<unsigned>(m.thread()), m.threads());
    all.meet_lanes(m);
    all.template leave_in_block<warps>(m);
    m.sync();
  }
  all.template take_of_block<warps>(m, warps);
  const typename All::Found found{.low = all.least().key(),
                                  .high = static_cast<typename All::Key>(~all.greatest().key()),
                                  .low_tile = all.least().stands_at(),
                                  .high_tile = all.greatest().stands_at(),
                                  .nan_tile = all.first_nan};
  if (put_extreme<T, set, U, warps, ops>(m, input, tiles, found, results)) return;
  using State = StateOf<T, set>;
  auto total = shared<int64_t, State::words, struct total_>(m);
  All::template finish<indices>(m, found, input, tiles, total);
  m.sync();
  if constexpr (ops == 0) {
    const auto t = static_cast<unsigned>(m.thread());
    if (t < State::words) results.state[t] = total[t];
  } else {
    answer<T, set, ops>(m, total, results);
  }
}

template <uint32_t ops, class M, class T, uint32_t set, int U, int warps, class Input>
ONEFOLD_KERNEL void end_extremes(M m, const Extremes<M, T, set, U, warps>& mine, const Input& input,
                                 const Tiles<T, U>& tiles, const Workspace<M>& workspace,
                                 const Results<M, ops>& results) {
  Rivals<T, set> all(mine.least, mine.greatest, mine.first_nan);
  auto told = shared<unsigned, 1, struct last_>(m);
  const auto t = static_cast<unsigned>(m.thread());
  all.meet_lanes(m);
  all.template leave_in_block<warps>(m);
  m.sync();
  if (m.blocks() > 1) {
    if (t < 32) {
      all.template take_of_block<warps>(m, warps);
      if (t == 0) {
        all.hand_over(m, workspace.words);
        told[0] = draw_ticket(m, workspace.counters) == m.blocks() - 1 ? 1u : 0u;
      }
    }
    m.sync();
    const unsigned is_last = told[0];
    if (is_last == 0) return;
  }
  finish_extremes<T, set, U, warps, ops>(m, input, workspace, tiles, results);
}

}  // namespace onefold::kernel
