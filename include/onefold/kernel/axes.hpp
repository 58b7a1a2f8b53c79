// Folds a nest along some of its axes into rounded answers, or into words.
//
//   walk     who holds an answer: docs/decisions/0010-axes-on-a-device.md
//   grid     any
//   results  place k: the answers to op k, in C order; or states, one after another in the order of
//            the walk, not canonical
#pragma once

#include "onefold/kernel/answer/answers.hpp"
#include "onefold/kernel/end/parts.hpp"
#include "onefold/kernel/feed/block_words.hpp"

namespace onefold::kernel {

// The places of one answer.
template <uint32_t ops, class M>
ONEFOLD_KERNEL Results<M, ops> results_of(const Results<M, ops>& results, Size answer) {
  Results<M, ops> r = results;
  ONEFOLD_UNROLL
  for (int k = 0; k < count_ops(ops); ++k) {
    r.place[k].value = r.place[k].value + answer * bytes_of(r.place[k].dtype);
    if (r.place[k].has_status) r.place[k].status = r.place[k].status + answer;
  }
  return r;
}

// What one answer's words become, by a block; `i` as the walk counts answers.
template <class T, uint32_t set, uint32_t ops, class M>
ONEFOLD_KERNEL void end_words(M m, const BlockWords<M, T, set>& words, const NestInput<M, T>& input,
                              const Results<M, ops>& results, const Deal& deal, Size i,
                              const Spot& at) {
  using State = StateOf<T, set>;
  words.repeat(m, input.repeats);
  if constexpr (ops == 0) {
    ONEFOLD_NO_UNROLL
    for (unsigned k = static_cast<unsigned>(m.thread()); k < static_cast<unsigned>(State::words);
         k += m.threads()) {
      const int64_t v = words.words[k];
      results.state[(i - deal.first) * State::words + k] = v;
    }
  } else {
    answer<T, set, ops>(m, words.words,
                        results_of(results, input.answer + static_cast<Size>(at.step)));
  }
  m.sync();
}

// Any nest: a block for each part of an answer, by exact words.
template <class T, uint32_t set, uint32_t ops, class M>
ONEFOLD_KERNEL void fold_nest(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                              const Results<M, ops>& results, const Deal& deal) {
  using State = StateOf<T, set>;
  const BlockWords<M, T, set> words(m);
  const Size items = deal.answers * deal.parts;
  ONEFOLD_NO_UNROLL
  for (Size item = m.block(); item < items; item += m.blocks()) {
    const Size k = deal.parts == 1 ? item : item / deal.parts, part = item - k * deal.parts;
    const Size i = deal.first + k, begin = part * deal.part;
    const Size end = input.elements - begin < deal.part ? input.elements : begin + deal.part;
    const Spot at = answer_at<takes_two<T, set>()>(input, i);
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

template <class T, uint32_t set, uint32_t ops, Walk walk, class M>
ONEFOLD_KERNEL void axes(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                         const Results<M, ops>& results, const Deal& deal) {
  fold_nest<T, set, ops>(m, input, scratch, results, deal);
}

}  // namespace onefold::kernel
