// The answers that totals leave open, once more: by a warp each, three words of f64; then by the
// block, exact words. In the launch that found them.
#pragma once

#include "onefold/kernel/end/words.hpp"
#include "onefold/kernel/quick/careful.hpp"

namespace onefold::kernel {

// Which answers a block has left open: a thread has up to `slots`; bit l of word s * 32 + w is that
// in slot s of lane l of warp w.
template <class M>
struct OpenAnswers {
  enum : int { slots = 8 };
  Shared<M, uint32_t> bits;
  Shared<M, uint32_t> some;  // by warp: 0, if it has none; then its bits are not written
  ONEFOLD_KERNEL explicit OpenAnswers(M m)
      : bits(shared<uint32_t, slots * 32, struct open_>(m)),
        some(shared<uint32_t, 32, struct some_>(m)) {}

  // By all threads, once in a launch; bit s: the one in slot s is open. Whether there are any.
  ONEFOLD_KERNEL bool tell(M m, uint32_t open) const {
    const unsigned t = static_cast<unsigned>(m.thread()), warp = t / 32, warps = m.threads() / 32;
    const uint32_t mine = m.ballot(open != 0);
    if (mine != 0) {
      ONEFOLD_NO_UNROLL
      for (unsigned s = 0; s < slots; ++s) {
        const uint32_t lanes = m.ballot((open >> s & 1) != 0);
        if (t % 32 == 0) bits[s * 32 + warp] = lanes;
      }
    }
    if (t % 32 == 0) some[warp] = mine;
    m.sync();
    uint32_t any = 0;
    ONEFOLD_NO_UNROLL
    for (unsigned w = 0; w < warps; ++w) {
      const uint32_t has = some[w];
      any |= has;
    }
    return any != 0;
  }
};

ONEFOLD_KERNEL unsigned lowest_bit(uint32_t bits) {
  return static_cast<unsigned>(bit_length(uint64_t{bits & (0 - bits)}) - 1);
}

// By a block that has told of some.
//   answer_of(warp, lane, slot)   their numbers, as the walk counts answers
template <class T, uint32_t set, uint32_t ops, bool selects, class M, class AnswerOf>
ONEFOLD_KERNEL_COLD void redo(M m, const NestInput<M, T>& input, const Results<M, ops>& results,
                              const Deal& deal, OpenAnswers<M> open, AnswerOf answer_of) {
  const unsigned t = static_cast<unsigned>(m.thread()), warp = t / 32, warps = m.threads() / 32;
  if constexpr (has_rounded<T, ops>()) {
    const uint32_t mine = open.some[warp];
    ONEFOLD_NO_UNROLL
    for (unsigned s = 0; mine != 0 && s < OpenAnswers<M>::slots; ++s) {
      const uint32_t all = open.bits[s * 32 + warp];
      uint32_t left = all;
      ONEFOLD_NO_UNROLL
      for (uint32_t some = all; some != 0; some &= some - 1) {
        const unsigned lane = lowest_bit(some);
        const Spot at = answer_at<asked_of<T>(ops).pairs, selects>(input, answer_of(warp, lane, s));
        if (Careful<T, ops, selects>::put_all(m, input, at, deal.formulas, results))
          left &= ~(1u << lane);
      }
      m.sync_warp();
      if (t % 32 == 0) open.bits[s * 32 + warp] = left;
    }
    m.sync();
  }
  const BlockWords<M, T, set, selects> words(m);
  ONEFOLD_NO_UNROLL
  for (unsigned w = 0; w < warps; ++w) {
    const uint32_t has = open.some[w];
    ONEFOLD_NO_UNROLL
    for (unsigned s = 0; has != 0 && s < OpenAnswers<M>::slots; ++s) {
      const uint32_t all = open.bits[s * 32 + w];
      ONEFOLD_NO_UNROLL
      for (uint32_t some = all; some != 0; some &= some - 1) {
        const Size i = answer_of(w, lowest_bit(some), s);
        const Spot at = answer_at<asked_of<T>(ops).pairs, selects>(input, i);
        words.gather(m, input, at, 0, input.elements);
        end_words<T, set, ops>(m, words, input, results, deal, i, at);
      }
    }
  }
}

}  // namespace onefold::kernel
