// The answers that totals leave open, once more: by a warp each, three words of f64; then by the
// block, exact words. In the launch that found them.
#pragma once

#include "onefold/kernel/end/words.hpp"
#include "onefold/kernel/quick/careful.hpp"

namespace onefold::kernel {

// Which answers a block has left open: bit l of word w, that of lane l of warp w, and its number,
// as the walk counts answers.
template <class M>
struct OpenAnswers {
  Shared<M, uint32_t> bits;
  Shared<M, Size> number;
  ONEFOLD_KERNEL explicit OpenAnswers(M m)
      : bits(shared<uint32_t, 32, struct open_>(m)), number(shared<Size, 256, struct number_>(m)) {}

  // By all threads: each says whether it has one. Whether there are any.
  ONEFOLD_KERNEL bool tell(M m, bool is_open, Size answer) const {
    const unsigned t = static_cast<unsigned>(m.thread()), warps = m.threads() / 32;
    const uint32_t mine = m.ballot(is_open);
    if (is_open) number[t] = answer;
    if (t % 32 == 0) bits[t / 32] = mine;
    m.sync();
    uint32_t any = 0;
    ONEFOLD_NO_UNROLL
    for (unsigned w = 0; w < warps; ++w) {
      const uint32_t some = bits[w];
      any |= some;
    }
    m.sync();
    return any != 0;
  }
};

ONEFOLD_KERNEL unsigned lowest_bit(uint32_t bits) {
  return static_cast<unsigned>(bit_length(uint64_t{bits & (0 - bits)}) - 1);
}

// By a block that has told of some.
template <class T, uint32_t set, uint32_t ops, class M>
ONEFOLD_KERNEL_COLD void redo(M m, const NestInput<M, T>& input, const Results<M, ops>& results,
                              const Deal& deal, OpenAnswers<M> open) {
  const unsigned t = static_cast<unsigned>(m.thread()), warp = t / 32, warps = m.threads() / 32;
  if constexpr (has_rounded<T, ops>()) {
    const uint32_t mine = open.bits[warp];
    uint32_t left = mine;
    ONEFOLD_NO_UNROLL
    for (uint32_t all = mine; all != 0; all &= all - 1) {
      const unsigned lane = lowest_bit(all);
      const Size i = open.number[warp * 32 + lane];
      const Spot at = answer_at<false>(input, i);
      if (Careful<T, ops>::put_all(m, input, at, deal.formulas, results)) left &= ~(1u << lane);
    }
    m.sync_warp();
    if (t % 32 == 0) open.bits[warp] = left;
    m.sync();
  }
  const BlockWords<M, T, set> words(m);
  ONEFOLD_NO_UNROLL
  for (unsigned w = 0; w < warps; ++w) {
    const uint32_t some = open.bits[w];
    ONEFOLD_NO_UNROLL
    for (uint32_t all = some; all != 0; all &= all - 1) {
      const Size i = open.number[w * 32 + lowest_bit(all)];
      const Spot at = answer_at<false>(input, i);
      words.gather(m, input, at, 0, input.elements);
      end_words<T, set, ops>(m, words, input, results, deal, i, at);
    }
  }
  m.sync();
}

}  // namespace onefold::kernel
