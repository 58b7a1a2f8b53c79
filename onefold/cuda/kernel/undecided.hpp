// Recomputes answers that a walk leaves undecided. The walk sets a bit for each, and this second
// kernel finds the bits, so walks need no code for rare data.
//
//   noted   one bit an answer, in the walk's order, after the counters of UndecidedWord
//   warp    a warp recomputes a short answer by sums of three f64 (careful.hpp)
//   block   a block does so for a long one; it computes by exact words what is still undecided
//   parts   if few answers are undecided, blocks share each one: 17 of 1,000 columns of 134,217
//           elements took 1.2 ms by one block each
#pragma once

#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/end/words.hpp"
#include "onefold/cuda/kernel/quick/careful.hpp"
#include "onefold/cuda/kernel/segments.hpp"

namespace onefold::kernel {

// Which part of which undecided answer a block computes; `slot` is the answer's number among the
// undecided ones, and its place in the scratch memory.
struct AnswerPart {
  unsigned slot = 0, part = 0, parts = 1;
};

// Finds all undecided answers, and gives each block a part of one of them.
//   count      number of undecided answers
//   most       the largest number of parts into which an answer may be divided
//   found      shared memory; its first `count` words get the answers' numbers
//   to         gets the number of this block's answer
// Returns the part; its slot is `count` or more if the block has none.
template <class M>
ONEFOLD_KERNEL AnswerPart part_of_undecided(M m, const Scratch<M>& scratch, Size answers,
                                            uint32_t count, unsigned most, Shared<M, int64_t> found,
                                            Shared<M, uint32_t> counter, Shared<M, int64_t> to) {
  const auto bits = scratch.undecided + int{undecided_words};
  const auto t = static_cast<unsigned>(m.thread()), threads = static_cast<unsigned>(m.threads());
  const auto of_each = static_cast<unsigned>(m.blocks()) / count;
  AnswerPart mine{.parts = of_each < most ? of_each : most};
  mine.slot = static_cast<unsigned>(m.block()) / mine.parts;
  mine.part = static_cast<unsigned>(m.block()) - mine.slot * mine.parts;
  if (t == 0) counter[0] = 0u;
  m.sync();
  const Size words = (answers + 31) / 32;
  constexpr unsigned at_once = 4;
  ONEFOLD_NO_UNROLL
  for (Size word = t; word < words; word += Size{at_once} * threads) {
    uint32_t noted[at_once] = {};
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < at_once; ++u) {
      const Size w = word + Size{u} * threads;
      if (m.branch(w < words)) noted[u] = load_relaxed<uint32_t>(m, bits + w, 0);
    }
    ONEFOLD_NO_UNROLL
    for (unsigned u = 0; u < at_once; ++u) {
      ONEFOLD_NO_UNROLL
      for (uint32_t some = noted[u]; some != 0; some &= some - 1) {
        const unsigned at = m.add(counter, 0, 1u);
        found[at] = static_cast<int64_t>((word + Size{u} * threads) * 32 + lowest_bit(some));
      }
    }
  }
  m.sync();
  // Blocks find answers in different orders, so `slot` refers to the sorted order.
  if (t < count) {
    const int64_t i = found[t];
    unsigned rank = 0;
    ONEFOLD_NO_UNROLL
    for (unsigned u = 0; u < count; ++u) {
      const int64_t other = found[u];
      rank += other < i ? 1 : 0;
    }
    if (rank == mine.slot) to[0] = i;
  }
  return mine;
}

// Called by all blocks at their end. The last one clears the words and, of undecided answers, the
// bits of the first `shared_out` answers of `found`; other blocks read these bits until then.
template <class M>
ONEFOLD_KERNEL void end_undecided(M m, const Scratch<M>& scratch, uint32_t shared_out,
                                  Shared<M, int64_t> found) {
  const Scratch<M> ended{.tickets = scratch.undecided, .left = {}, .undecided = {}};
  if (!is_last_part(m, ended, ended_blocks, static_cast<uint32_t>(m.blocks()))) return;
  const auto t = static_cast<unsigned>(m.thread());
  if (t == 0) {
    scratch.undecided[int{some_undecided}] = 0u;
    scratch.undecided[int{all_undecided}] = 0u;
  }
  if (t >= shared_out) return;
  const int64_t i = found[t];
  m.add(scratch.undecided, undecided_words + static_cast<Size>(i) / 32, 0 - (1u << i % 32));
}

// Recomputes each undecided answer, and clears its bit.
//   most                the largest number of parts into which an answer may be divided
//   by_warp(i)          returns whether answer i is decided now
//   by_block(i, part)   is called by all threads of the block
template <class M, class ByWarp, class ByBlock>
ONEFOLD_KERNEL void each_undecided(M m, const Scratch<M>& scratch, Size answers, unsigned most,
                                   ByWarp by_warp, ByBlock by_block) {
  const uint32_t any = how_many_undecided(m, scratch);
  if (any == 0) return;
  const bool shared_out = most > 1 && any < most_counted && any < m.blocks();
  // Answers that the warps of a block could not decide, for `by_block`. If there is no room for an
  // answer, its bit stays, and the next round finds it again.
  constexpr unsigned room = 256;
  const auto left = shared<int64_t, room, struct left_>(m);
  const auto count = shared<uint32_t, 1, struct count_>(m);
  const unsigned t = static_cast<unsigned>(m.thread());
  const auto bits = scratch.undecided + int{undecided_words};
  // Each lane looks at `each` of the 32 bits of a word: fewer if there are too few words for all
  // blocks.
  const Size threads = Size{m.blocks()} * m.threads();
  unsigned each = 32;
  ONEFOLD_NO_UNROLL
  while (each > 1 && answers / each < m.blocks()) each /= 2;
  const Size shares = (answers + each - 1) / each;
  // If there are fewer shares than threads, neighbouring shares go to different blocks.
  const bool few = shares <= threads;
  const Size warps = threads / 32, first = few ? Size{t / 32} * m.blocks() + m.block()
                                               : Size{m.block()} * m.threads() + t / 32 * 32;
  const auto share_of = [&](Size from, unsigned lane) {
    return from + (few ? lane * warps : lane);
  };
  AnswerPart part;
  for (;;) {
    if (shared_out) {
      part =
          part_of_undecided(m, scratch, answers, any, most, left, count, left + int{most_counted});
      m.sync();
      if (t == 0) count[0] = part.slot < any ? 1u : 0u;
    } else if (t == 0) {
      count[0] = 0u;
    }
    m.sync();
    ONEFOLD_NO_UNROLL
    for (Size from = first; !shared_out && from < shares; from += threads) {
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
      const int64_t i = left[shared_out ? most_counted : k];
      by_block(static_cast<Size>(i), part);
    }
    m.sync();
    if (wanted <= room) break;
  }
  end_undecided(m, scratch, shared_out ? any : 0, left);
}

// Recomputes the answers of one launch, one after another.
template <class T, uint32_t set, OpSet ops, bool selects, class M>
struct Recomputation {
  static_assert(any_is_rounded<T>(ops));  // other ops leave no answer undecided
  using Sums = Careful<T, ops, selects>;
  using Found = typename Sums::Found;

  M m;
  const Scratch<M>& scratch;
  const Results<M, ops>& results;
  const Deal& deal;
  BlockWords<M, T, set, selects> words = BlockWords<M, T, set, selects>(m);
  Shared<M, int64_t> found = shared<int64_t, 32 * int{Found::words}, struct found_>(m);
  Shared<M, uint32_t> told = shared<uint32_t, 1, struct told_decided_>(m);

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }
  // Whether a block, not a warp, recomputes the answer.
  ONEFOLD_KERNEL static bool is_long(Size elements) { return elements > 4096; }

  // Recomputes the answer whose first element is at `at`, by one warp; returns whether it is
  // decided.
  template <class Input>
  ONEFOLD_KERNEL bool by_warp(const Input& input, const Spot& at) const {
    if constexpr (!Sums::helps) return false;
    if (is_long(input.elements)) return false;
    Found f;
    Sums::gather(m, input, at, t() % 32, 32, f);
    return Sums::put_all(m, input, at, f, deal.formulas, results);
  }
  // Returns the largest number of parts into which an answer may be divided.
  ONEFOLD_KERNEL unsigned most_parts(Size elements) const {
    if constexpr (!Sums::helps) return 1;
    // Many short answers may be undecided; then blocks would spend too long looking at all bits.
    if (!is_long(elements) && deal.answers >> 18 != 0) return 1;
    const Size most = elements / m.threads();
    return most < m.blocks() ? static_cast<unsigned>(most) : static_cast<unsigned>(m.blocks());
  }
  //   i   the answer's number in the order of the walk
  template <class Input>
  ONEFOLD_KERNEL void by_block(const Input& input, Size i, const Spot& at,
                               const AnswerPart& part) const {
    if constexpr (Sums::helps) {
      if ((part.parts > 1 || is_long(input.elements)) && is_decided_by_parts(input, at, part)) {
        return;
      }
    }
    words.gather(m, input, at, 0, input.elements);
    end_words<T, set, ops>(m, words, input, results, deal, i, at);
  }

 private:
  // Recomputes a part of the answer by this block; returns whether this or another block decides
  // it.
  template <class Input>
  ONEFOLD_KERNEL bool is_decided_by_parts(const Input& input, const Spot& at,
                                          const AnswerPart& part) const {
    Found f;
    Sums::gather(m, input, at, Size{part.part} * m.threads() + t(), Size{part.parts} * m.threads(),
                 f);
    if (t() % 32 == 0) f.store(found + t() / 32 * int{Found::words});
    m.sync();
    if (t() / 32 == 0) {
      ONEFOLD_NO_UNROLL
      for (unsigned w = 1; w < m.threads() / 32; ++w) f.add_stored(found + w * int{Found::words});
    }
    if (part.parts > 1) {
      const auto parts = scratch.left + Size{part.slot} * part.parts * int{Found::words};
      if (t() == 0) f.store(parts + part.part * int{Found::words});
      if (!is_last_part(m, scratch, part.slot, part.parts)) return true;
      if (t() / 32 == 0) {
        f = Found();
        ONEFOLD_NO_UNROLL
        for (unsigned p = t(); p < part.parts; p += 32) f.add_stored(parts + p * int{Found::words});
        Sums::meet_all(m, f);
      }
    }
    if (t() / 32 == 0) {
      const bool decided = Sums::put_all(m, input, at, f, deal.formulas, results);
      if (t() == 0) told[0] = decided ? 1u : 0u;
    }
    m.sync();
    const uint32_t decided = told[0];
    return decided != 0;
  }
};

// Recomputes undecided answers of a nest; some of the ops are rounded from sums of floats.
template <class T, uint32_t set, OpSet ops, bool selects, class M>
ONEFOLD_KERNEL void fold_undecided(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                   const Results<M, ops>& results, const Deal& deal) {
  const Recomputation<T, set, ops, selects, M> again{m, scratch, results, deal};
  const auto place = [&](Size i) {
    return answer_at<needed_totals<T>(ops).pairs, selects>(input, i);
  };
  each_undecided(
      m, scratch, deal.answers, again.most_parts(input.elements),
      [&](Size i) { return again.by_warp(input, place(i)); },
      [&](Size i, const AnswerPart& part) { again.by_block(input, i, place(i), part); });
}

// Recomputes undecided answers of segments.
template <class T, uint32_t set, OpSet ops, bool selects, class M>
ONEFOLD_KERNEL void fold_undecided_segments(M m, const NestInput<M, T>& input,
                                            const Scratch<M>& scratch,
                                            const Results<M, ops>& results, const Deal& deal) {
  const Segments<T, set, ops, selects, M> segments{m, input, scratch, results, deal};
  const Recomputation<T, set, ops, true, M> again{m, scratch, results, deal};
  const auto place = [](Size i) { return Spot{.step = static_cast<int64_t>(i)}; };
  each_undecided(
      m, scratch, deal.answers, 1,
      [&](Size i) { return again.by_warp(segments.alone(segments.span(i)), place(i)); },
      [&](Size i, const AnswerPart& part) {
        again.by_block(segments.alone(segments.span(i)), i, place(i), part);
      });
}

}  // namespace onefold::kernel
