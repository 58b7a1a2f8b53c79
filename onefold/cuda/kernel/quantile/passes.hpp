// Ranks of long slices by the digits of keys, from the highest on: a pass counts the next digit of
// the keys that begin as a rank's key does.
//
//   grid     parts of problems: the candidates of a level with its two ranks, or a whole slice with
//            all ranks that no bracket contains. Blocks of problems without ranks return at once
//   shared   a histogram for each different beginning, at most one a rank
//   ends     the last block of a problem finds the digits
#pragma once

#include "onefold/cuda/kernel/quantile/find_digit.hpp"
#include "onefold/cuda/kernel/quantile/input.hpp"

namespace onefold::kernel {

template <class T, bool masks, class M>
struct QuantilePass {
  using O = OrderedBits<T>;
  using K = typename O::Key;
  static constexpr unsigned step = digit_bits<T>;
  M m;
  const QuantileSlices<M, T>& in;
  Shared<M, uint32_t> counts = shared_of_launch<uint32_t>(m);
  Shared<M, K> prefix = shared<K, int{most_ranks}, struct pass_prefixes_>(m);
  // Of each rank its histogram, `none_of` for those found elsewhere; then the number of histograms.
  static constexpr uint32_t none_of = most_ranks;
  Shared<M, uint32_t> which = shared<uint32_t, int{most_ranks + 1}, struct pass_which_>(m);

  ONEFOLD_KERNEL unsigned known() const { return in.pass * step; }
  ONEFOLD_KERNEL unsigned digit() const {
    return O::bits - known() < step ? O::bits - known() : step;
  }

  // Gives ranks with the same beginning one histogram.
  ONEFOLD_KERNEL void assign(Out<M, uint64_t> words, unsigned first, unsigned ranks) const {
    const RankIn wanted = in.of_candidates ? RankIn::candidates : RankIn::slice;
    uint32_t used = 0;
    ONEFOLD_NO_UNROLL
    for (unsigned r = 0; r < ranks; ++r) {
      const uint64_t where = words[word_of_rank(first + r, rank_in)],
                     key = words[word_of_rank(first + r, rank_key)];
      uint32_t h = none_of;
      if (where == static_cast<uint64_t>(wanted)) {
        ONEFOLD_NO_UNROLL
        for (h = 0; h < used; ++h) {
          const K other = prefix[h];
          if (other == static_cast<K>(key)) break;
        }
        if (h == used) {
          prefix[h] = static_cast<K>(key);
          ++used;
        }
      }
      which[r] = h;
    }
    which[int{most_ranks}] = used;
  }

  // Finds a rank's digit from the sums of all blocks; called by a warp.
  //   h   its histogram
  ONEFOLD_KERNEL void find_digit_of(Out<M, uint64_t> words, unsigned rank, uint32_t h,
                                    Out<M, uint64_t> sums) const {
    if (h == none_of) return;
    const unsigned lane = static_cast<unsigned>(m.thread()) % 32;
    const uint32_t bins = 1u << digit();
    const auto own = sums + h * bins;
    const uint64_t left = words[word_of_rank(rank, rank_left)];
    const FoundDigit f = find_digit(m, lane, bins, left, [&](uint32_t k) {
      return load_relaxed<uint64_t>(m, own, static_cast<int>(k));
    });
    m.sync_warp();
    const K p = prefix[h];
    if (lane == 0) {
      words[word_of_rank(rank, rank_key)] = uint64_t{static_cast<K>(p << digit() | f.digit)};
      words[word_of_rank(rank, rank_left)] = f.rank;
    }
  }

  ONEFOLD_KERNEL void run() const {
    const auto t = static_cast<unsigned>(m.thread());
    const Size problem = m.block() / in.parts, part = m.block() - problem * in.parts,
               local = in.of_candidates ? problem / in.levels : problem;
    const unsigned level =
        in.of_candidates ? static_cast<unsigned>(problem - local * in.levels) : 0u;
    const unsigned first = 2 * level, ranks = in.of_candidates ? 2 : 2 * in.levels;
    const auto words = in.words + local * slice_words;
    if (t == 0) assign(words, first, ranks);
    m.sync();
    const uint32_t used = which[int{most_ranks}];
    if (used == 0) return;
    const uint32_t bins = 1u << digit();
    ONEFOLD_NO_UNROLL
    for (uint32_t k = t; k < used * bins; k += quantile_threads) counts[k] = 0u;
    m.sync();
    const unsigned shift = O::bits - known() - digit(), begun = known();
    const auto count = [&](K k) {
      ONEFOLD_NO_UNROLL
      for (uint32_t h = 0; h < used; ++h) {
        const K p = prefix[h];
        if (m.branch(begun == 0 || k >> (O::bits - begun) == p)) {
          m.add(counts, h * bins + (static_cast<uint32_t>(k >> shift) & (bins - 1)), 1u);
          break;
        }
      }
    };
    Size all = in.length();
    if (in.of_candidates) all = words[word_of_level(level, between)];
    // Parts of candidates are as long as their number asks for.
    const Size each = in.of_candidates ? (all + in.parts - 1) / in.parts : in.part,
               begin = part * each < all ? part * each : all,
               end = all - begin < each ? all : begin + each;
    if (in.of_candidates) {
      const auto from = in.candidates + problem * in.room;
      ONEFOLD_NO_UNROLL
      for (Size i = begin + t; i < end; i += quantile_threads) {
        const K k = from[i];
        count(k);
      }
    } else {
      each_of_slice<T, masks>(m, in, answer_at<false, masks>(in.nest, in.first + local), begin, end,
                              t, quantile_threads, [&](T x, bool active) {
                                if (active) count(O::of(x));
                              });
    }
    m.sync();
    const auto sums = in.counts + (local * most_ranks + first) * most_bins;
    ONEFOLD_NO_UNROLL
    for (uint32_t k = t; k < used * bins; k += quantile_threads) {
      const uint32_t c = counts[k];
      if (m.branch(c != 0)) m.add(sums, k, uint64_t{c});
    }
    const Scratch<M> ended{
        .tickets = in.tickets + local * (most_levels + 1), .left = {}, .undecided = {}};
    if (!is_last_part(m, ended, in.of_candidates ? level : most_levels,
                      static_cast<uint32_t>(in.parts))) {
      return;
    }
    if (t / 32 < ranks) {
      const uint32_t h = which[t / 32];
      find_digit_of(words, first + t / 32, h, sums);
    }
    m.sync();
    ONEFOLD_NO_UNROLL
    for (uint32_t k = t; k < used * bins; k += quantile_threads) sums[k] = uint64_t{0};
  }
};

// Rounds the answers of long slices: a thread each.
template <class T, class M>
ONEFOLD_KERNEL void quantile_answers(M m, const QuantileSlices<M, T>& in) {
  using K = typename OrderedBits<T>::Key;
  const Size i = Size{m.block()} * quantile_threads + static_cast<unsigned>(m.thread());
  if (i >= in.slices * in.levels) return;
  const Size local = i / in.levels;
  const auto l = static_cast<unsigned>(i - local * in.levels);
  const auto words = in.words + local * slice_words;
  const uint64_t nans = words[unsigned{nans_word}], taken = in.taken(m, words);
  const Spot at = answer_at<false>(in.nest, in.first + local);
  T answer = quantile_nan<T>();
  if (!in.spoilt(nans, taken)) {
    const uint64_t low = words[word_of_rank(2 * l, rank_key)],
                   high = words[word_of_rank(2 * l + 1, rank_key)];
    answer = quantile_of_keys<T>(static_cast<K>(low), static_cast<K>(high),
                                 in.place_among(l, taken - nans));
  }
  in.put(l, at.step, answer, nans);
}

}  // namespace onefold::kernel
