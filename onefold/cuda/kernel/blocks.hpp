// Folds any loop nest into exact words; each thread block gathers one part of an answer at a time.
#pragma once

#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/end/words.hpp"

namespace onefold::kernel {

template <class T, uint32_t set, OpSet ops, bool selects, class M>
ONEFOLD_KERNEL void fold_nest(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                              const Results<M, ops>& results, const Deal& deal) {
  using State = StateOf<T, set>;
  const BlockWords<M, T, set, selects> words(m);
  const Size items = deal.answers * deal.parts;
  ONEFOLD_NO_UNROLL
  for (Size item = m.block(); item < items; item += m.blocks()) {
    const Size k = deal.parts == 1 ? item : item / deal.parts, part = item - k * deal.parts;
    const Size i = deal.first + k, begin = part * deal.part;
    const Size end = input.elements - begin < deal.part ? input.elements : begin + deal.part;
    const Spot at = answer_at<takes_two<T, set>(), selects>(input, i);
    words.gather(m, input, at, begin, end);
    if (deal.parts > 1) {
      const auto left = scratch.left + k * deal.parts * State::words;
      if (deal.part > Size{1} << 20) words.carry(m);
      ONEFOLD_NO_UNROLL
      for (unsigned w = static_cast<unsigned>(m.thread()); w < static_cast<unsigned>(State::words);
           w += m.threads()) {
        const int64_t v = words.words[w];
        left[part * State::words + w] = v;
      }
      if (!is_last_part(m, scratch, k, deal.parts)) continue;
      words.collect(m, left, deal.parts);
    }
    end_words<T, set, ops>(m, words, input, results, deal, i, at);
  }
}

}  // namespace onefold::kernel
