// Computes again those answers that a walk leaves undecided: the walk marks them, and this second
// kernel computes them. So walks need no code for rare data.
//
//   noted   one bit an answer, in the walk's order, after the words of UndecidedWord
//   warp    recomputes a short answer by three f64 (careful.hpp)
//   block   does so for a long one, and computes by exact words what is still undecided
#pragma once

#include "onefold/kernel/end/parts.hpp"
#include "onefold/kernel/end/words.hpp"
#include "onefold/kernel/quick/careful.hpp"
#include "onefold/kernel/segments.hpp"

namespace onefold::kernel {

// Recomputes each undecided answer, and clears its bit.
//   by_warp(i)   returns whether answer i is decided now
//   by_block(i)  is called by all threads of the block
template <class M, class ByWarp, class ByBlock>
ONEFOLD_KERNEL void each_undecided(M m, const Scratch<M>& scratch, Size answers, ByWarp by_warp,
                                   ByBlock by_block) {
  const uint32_t any = load_relaxed<uint32_t>(m, scratch.undecided, some_undecided);
  if (any == 0) return;
  // A block has room for so many answers that its warps could not decide. An answer that finds no
  // room keeps its bit for the next round.
  constexpr unsigned room = 256;
  const auto left = shared<int64_t, room, struct left_>(m);
  const auto count = shared<uint32_t, 1, struct count_>(m);
  const unsigned t = static_cast<unsigned>(m.thread());
  const auto bits = scratch.undecided + int{undecided_words};
  // Few answers are divided, too: a lane takes `each` of the 32 answers of a word.
  const Size threads = Size{m.blocks()} * m.threads();
  unsigned each = 32;
  ONEFOLD_NO_UNROLL
  while (each > 1 && answers / each < m.blocks()) each /= 2;
  const Size shares = (answers + each - 1) / each;
  // If shares are few, neighbouring shares go to different blocks: one lane of each warp has some.
  const bool few = shares <= threads;
  const Size warps = threads / 32, first = few ? Size{t / 32} * m.blocks() + m.block()
                                               : Size{m.block()} * m.threads() + t / 32 * 32;
  const auto share_of = [&](Size from, unsigned lane) {
    return from + (few ? lane * warps : lane);
  };
  for (;;) {
    if (t == 0) count[0] = 0u;
    m.sync();
    ONEFOLD_NO_UNROLL
    for (Size from = first; from < shares; from += threads) {
      const Size share = share_of(from, t % 32), word = share * each / 32;
      uint32_t mine = 0;
      if (m.branch(share < shares)) {
        const uint32_t noted = load_relaxed<uint32_t>(m, bits + word, 0);
        mine = noted & (~0u >> (32 - each)) << share * each % 32;
      }
      ONEFOLD_NO_UNROLL
      for (uint32_t lanes = m.ballot(mine != 0); lanes != 0; lanes &= lanes - 1) {
        const unsigned lane = lowest_bit(lanes);
        const uint32_t all = m.shuffle(mine, lane);
        const Size of_lane = share_of(from, lane) * each / 32;
        uint32_t done = 0;
        ONEFOLD_NO_UNROLL
        for (uint32_t some = all; some != 0; some &= some - 1) {
          const Size i = of_lane * 32 + lowest_bit(some);
          bool gone = by_warp(i);
          if (!gone) {
            unsigned at = 0;
            if (t % 32 == 0) at = m.add(count, 0, 1u);
            at = m.shuffle(at, 0);
            gone = at < room;
            if (gone && t % 32 == 0) left[at] = static_cast<int64_t>(i);
          }
          if (gone) done |= some & (0 - some);
        }
        if (t % 32 == lane && done != 0) m.add(bits, of_lane, 0 - done);
      }
    }
    m.sync();
    const uint32_t wanted = count[0], here = wanted < room ? wanted : room;
    ONEFOLD_NO_UNROLL
    for (unsigned k = 0; k < here; ++k) {
      const int64_t i = left[k];
      by_block(static_cast<Size>(i));
    }
    m.sync();
    if (wanted <= room) break;
  }
  const Scratch<M> ended{.tickets = scratch.undecided, .left = {}, .undecided = {}};
  if (is_last_part(m, ended, ended_blocks, static_cast<uint32_t>(m.blocks()))) {
    if (t == 0) scratch.undecided[int{some_undecided}] = 0u;
  }
}

// Computes answers again, one after another.
template <class T, uint32_t set, uint32_t ops, bool selects, class M>
struct Again {
  static_assert(any_is_rounded<T>(ops));  // others leave nothing undecided
  using Sums = Careful<T, ops, selects>;
  using Found = typename Sums::Found;

  M m;
  const Results<M, ops>& results;
  const Deal& deal;
  BlockWords<M, T, set, selects> words = BlockWords<M, T, set, selects>(m);
  Shared<M, int64_t> found = shared<int64_t, 32 * int{Found::words}, struct found_>(m);
  Shared<M, uint32_t> told = shared<uint32_t, 1, struct told_decided_>(m);

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }
  // A long answer is the block's.
  ONEFOLD_KERNEL static bool is_long(Size elements) { return elements > 4096; }

  // Whether the answer that begins at `at` is decided now.
  template <class Input>
  ONEFOLD_KERNEL bool by_warp(const Input& input, const Spot& at) const {
    if constexpr (!Sums::helps) return false;
    if (is_long(input.elements)) return false;
    Found f;
    Sums::gather(m, input, at, t() % 32, 32, f);
    return Sums::put_all(m, input, at, f, deal.formulas, results);
  }
  //   i   the answer's number in the order of the walk
  template <class Input>
  ONEFOLD_KERNEL void by_block(const Input& input, Size i, const Spot& at) const {
    if constexpr (Sums::helps) {
      if (is_long(input.elements) && is_decided_by_block(input, at)) return;
    }
    words.gather(m, input, at, 0, input.elements);
    end_words<T, set, ops>(m, words, input, results, deal, i, at);
  }

 private:
  template <class Input>
  ONEFOLD_KERNEL bool is_decided_by_block(const Input& input, const Spot& at) const {
    Found f;
    Sums::gather(m, input, at, t(), m.threads(), f);
    if (t() % 32 == 0) f.store(found + t() / 32 * int{Found::words});
    m.sync();
    if (t() / 32 == 0) {
      ONEFOLD_NO_UNROLL
      for (unsigned w = 1; w < m.threads() / 32; ++w) f.add_stored(found + w * int{Found::words});
      const bool decided = Sums::put_all(m, input, at, f, deal.formulas, results);
      if (t() == 0) told[0] = decided ? 1u : 0u;
    }
    m.sync();
    const uint32_t decided = told[0];
    return decided != 0;
  }
};

// Recomputes undecided answers of a nest; some of the ops are rounded from sums of floats.
template <class T, uint32_t set, uint32_t ops, bool selects, class M>
ONEFOLD_KERNEL void fold_undecided(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                   const Results<M, ops>& results, const Deal& deal) {
  const Again<T, set, ops, selects, M> again{m, results, deal};
  const auto place = [&](Size i) { return answer_at<asked_of<T>(ops).pairs, selects>(input, i); };
  each_undecided(
      m, scratch, deal.answers, [&](Size i) { return again.by_warp(input, place(i)); },
      [&](Size i) { again.by_block(input, i, place(i)); });
}

// Recomputes undecided answers of segments.
template <class T, uint32_t set, uint32_t ops, bool selects, class M>
ONEFOLD_KERNEL void fold_undecided_segments(M m, const NestInput<M, T>& input,
                                            const Scratch<M>& scratch,
                                            const Results<M, ops>& results, const Deal& deal) {
  const Segments<T, set, ops, selects, M> segments{m, input, scratch, results, deal};
  const Again<T, set, ops, true, M> again{m, results, deal};
  const auto place = [](Size i) { return Spot{.step = static_cast<int64_t>(i)}; };
  each_undecided(
      m, scratch, deal.answers,
      [&](Size i) { return again.by_warp(segments.alone(segments.span(i)), place(i)); },
      [&](Size i) { again.by_block(segments.alone(segments.span(i)), i, place(i)); });
}

}  // namespace onefold::kernel
