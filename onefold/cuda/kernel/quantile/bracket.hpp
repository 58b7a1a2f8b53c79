// The bracket of a level in a long slice: two keys of a sample between which the level's ranks most
// likely lie. One read of the slice counts the keys below it, at its borders and between them, and
// copies the latter.
//
//   sample   grid: slices; 64 KiB of keys, from places drawn in equal parts of the slice; clears
//            what later launches count in
//   bracket  grid: parts of slices; the last block of a slice decides where each rank is found
#pragma once

#include "onefold/cuda/kernel/quantile/block_select.hpp"
#include "onefold/cuda/kernel/quantile/input.hpp"

namespace onefold::kernel {

template <class T, class M>
ONEFOLD_KERNEL void quantile_sample(M m, const QuantileSlices<M, T>& in) {
  using O = OrderedBits<T>;
  using K = typename O::Key;
  constexpr auto infinity =
      static_cast<K>(float_format(dtype_of<T>).infinity() | uint64_t{1} << (O::bits - 1));
  const auto keys = shared_of_launch<K>(m);
  const auto nans_of_block = shared<uint32_t, 1, struct sample_nans_>(m);
  const auto t = static_cast<unsigned>(m.thread()), threads = static_cast<unsigned>(m.threads());
  const Size local = m.block(), slice = in.first + local;
  const auto words = in.words + local * slice_words;
  ONEFOLD_NO_UNROLL
  for (unsigned k = t; k < slice_words; k += threads) words[k] = uint64_t{0};
  if (t <= most_levels) in.tickets[local * (most_levels + 1) + t] = 0u;
  const auto counts = in.counts + local * (most_ranks * most_bins);
  ONEFOLD_NO_UNROLL
  for (unsigned k = t; k < most_ranks * most_bins; k += threads) counts[k] = uint64_t{0};
  if (t == 0) nans_of_block[0] = 0u;
  m.sync();
  const Size n = in.length();
  const Spot from = answer_at<false, true>(in.nest, slice);
  uint32_t mine = 0;
  ONEFOLD_NO_UNROLL
  for (unsigned i = t; i < most_held<T>; i += threads) {
    const Size at = sampled_place(i, most_held<T>, n);
    const T v = in.nest.x[from.x + static_cast<int64_t>(at) * in.stride()];
    const Spot element{.mask = static_cast<int64_t>(at) * in.mask_stride()};
    const K k = is_there(in.nest, from, element) ? O::of(v) : O::nan;
    mine += k == O::nan ? 1 : 0;
    keys[i] = k;
  }
  if (m.branch(mine != 0)) m.add(nans_of_block, 0, mine);
  m.sync();
  const uint32_t nans = nans_of_block[0], numbers = most_held<T> - nans;
  const BlockSelect<HeldKeys<K, M>, O::bits, quantile_sample_threads, M> block{
      m, {keys, most_held<T>}, most_held<T>};
  ONEFOLD_NO_UNROLL
  for (unsigned l = 0; l < in.levels; ++l) {
    const auto middle =
        numbers == 0 ? 0u : static_cast<uint32_t>(place_of(in.level[l], numbers).rank);
    const uint32_t d = in.margin[l];
    K low = 0, high = infinity;
    if (middle > d) low = block.select(middle - d, false).low;
    if (middle + 1 + d < numbers) high = block.select(middle + 1 + d, false).low;
    if (t == 0) {
      words[word_of_level(l, low_key)] = uint64_t{low};
      words[word_of_level(l, high_key)] = uint64_t{high};
    }
  }
}

// Counts and copies what a thread meets of the bracket of one level. Copied keys wait in the warp's
// part of shared memory, so that it asks for places in memory only now and then.
template <class K, class M>
struct BracketOfLevel {
  static constexpr uint32_t waiting = sizeof(K) == 8 ? 128 : 256;
  K low = 0, width = 0;
  uint32_t below = 0, equal_low = 0, equal_high = 0;
  uint32_t held = 0;  // keys of the warp that wait
  Shared<M, K> room = {};
  Out<M, K> to = {};
  Out<M, uint64_t> word = {};  // of the level
  Size most = 0;

  ONEFOLD_KERNEL void flush(M m, unsigned lane) {
    m.sync_warp();
    uint64_t base = 0;
    if (lane == 0) base = m.add(word, unsigned{between}, uint64_t{held});
    base = m.shuffle(base, 0);
    ONEFOLD_NO_UNROLL
    for (uint32_t k = lane; k < held; k += 32) {
      const K key = room[k];
      if (m.branch(base + k < most)) to[base + k] = key;
    }
    held = 0;
    m.sync_warp();
  }
  // Called by all lanes of a warp; a lane without a key is not `active`.
  ONEFOLD_KERNEL void add(M m, unsigned lane, K key, bool active) {
    const K distance = key - low;
    below += active && key < low ? 1 : 0;
    const bool in = active && distance <= width;
    if (!m.any(in)) return;
    const bool at_border = distance == 0 || distance == width;
    if (in && at_border) (distance == 0 ? equal_low : equal_high) += 1;
    const uint32_t some = m.ballot(in && !at_border);
    if (some == 0) return;
    if (m.branch(in && !at_border)) {
      room[held + static_cast<uint32_t>(m.count_bits(some & ((1u << lane) - 1)))] = key;
    }
    held += static_cast<uint32_t>(m.count_bits(some));
    if (held + 32 > waiting) flush(m, lane);
  }
};

// Decides where a rank of a slice is found.
template <class M, class T>
ONEFOLD_KERNEL void place_rank(M m, const QuantileSlices<M, T>& in, Out<M, uint64_t> words,
                               unsigned rank, Size k) {
  const auto level = words + word_of_level(rank / 2, 0);
  const auto count = [&](unsigned word) {
    return load_relaxed<uint64_t>(m, level, static_cast<int>(word));
  };
  const uint64_t low = count(low_key), high = count(high_key), below = count(below_low),
                 low_end = below + count(at_low), inner = count(between),
                 high_begin = low_end + inner, end = high_begin + count(at_high);
  RankIn where = RankIn::slice;
  uint64_t key = 0, left = k;
  if (k >= below && k < end) {
    const bool inside = k >= low_end && k < high_begin;
    if (!inside) {
      where = RankIn::known;
      key = k < low_end ? low : high;
    } else if (inner <= in.room) {
      where = RankIn::candidates;
      left = k - low_end;
    }
  }
  words[word_of_rank(rank, rank_in)] = static_cast<uint64_t>(where);
  words[word_of_rank(rank, rank_key)] = key;
  words[word_of_rank(rank, rank_left)] = left;
}

//   most   levels that the kernel can take
template <class T, unsigned most, bool masks, class M>
ONEFOLD_KERNEL void quantile_bracket(M m, const QuantileSlices<M, T>& in) {
  using O = OrderedBits<T>;
  using K = typename O::Key;
  using Level = BracketOfLevel<K, M>;
  constexpr unsigned warps = quantile_threads / 32, room = Level::waiting * warps;
  const auto waiting = shared<K, int{most * room}, struct bracket_keys_>(m);
  const auto t = static_cast<unsigned>(m.thread()), lane = t % 32;
  const Size local = m.block() / in.parts, part = m.block() - local * in.parts,
             slice = in.first + local;
  const auto words = in.words + local * slice_words;
  Level level[most];
  ONEFOLD_UNROLL
  for (unsigned l = 0; l < most; ++l) {
    if (l >= in.levels) continue;
    const auto word = words + word_of_level(l, 0);
    const uint64_t low = word[unsigned{low_key}], high = word[unsigned{high_key}];
    level[l].low = static_cast<K>(low);
    level[l].width = static_cast<K>(high - low);
    level[l].room = waiting + (l * room + t / 32 * Level::waiting);
    level[l].to = in.candidates + (local * in.levels + l) * in.room;
    level[l].word = word;
    level[l].most = in.room;
  }
  uint32_t nans = 0, taken = 0;
  const auto add = [&](T x, bool active) {
    const K k = O::of(x);
    nans += active && k == O::nan ? 1 : 0;
    if constexpr (masks) taken += active ? 1 : 0;
    ONEFOLD_UNROLL
    for (unsigned l = 0; l < most; ++l) {
      if (most == 1 || l < in.levels) level[l].add(m, lane, k, active);
    }
  };
  const Spot at = answer_at<false, masks>(in.nest, slice);
  const Size first = part * in.part, all = in.length(),
             end = all - first < in.part ? all : first + in.part;
  each_of_slice<T, masks>(m, in, at, first, end, t, quantile_threads, add);
  const auto pass_on = [&](unsigned word, uint32_t mine) {
    const uint32_t sum = m.redux_add(mine);
    if (lane == 0 && sum != 0) m.add(words, word, uint64_t{sum});
  };
  pass_on(nans_word, nans);
  if constexpr (masks) pass_on(taken_word, taken);
  ONEFOLD_UNROLL
  for (unsigned l = 0; l < most; ++l) {
    if (l >= in.levels) continue;
    if (level[l].held != 0) level[l].flush(m, lane);
    pass_on(word_of_level(l, below_low), level[l].below);
    pass_on(word_of_level(l, at_low), level[l].equal_low);
    pass_on(word_of_level(l, at_high), level[l].equal_high);
  }
  const Scratch<M> ended{
      .tickets = in.tickets + local * (most_levels + 1), .left = {}, .undecided = {}};
  if (!is_last_part(m, ended, most_levels, static_cast<uint32_t>(in.parts))) return;
  if (t >= 2 * in.levels) return;
  const uint64_t all_nans = load_relaxed<uint64_t>(m, words, int{nans_word});
  const Size all_taken = in.taken(m, words);
  if (in.spoilt(all_nans, all_taken)) {
    words[word_of_rank(t, rank_in)] = static_cast<uint64_t>(RankIn::known);
    return;
  }
  const QuantilePlace place = in.place_among(t / 2, all_taken - all_nans);
  place_rank(m, in, words, t, place.rank + (t % 2 != 0 && place.rest > 0 ? 1 : 0));
}

}  // namespace onefold::kernel
