// Rounds or stores the words of one answer, which are in a block's shared memory.
#pragma once

#include "onefold/cuda/kernel/answer/answers.hpp"
#include "onefold/cuda/kernel/feed/block_words.hpp"
#include "onefold/cuda/kernel/schedule/deal.hpp"

namespace onefold::kernel {

// Where the values and statuses of one answer go.
template <OpSet ops, class M>
ONEFOLD_KERNEL Results<M, ops> results_of(const Results<M, ops>& results, Size answer) {
  Results<M, ops> r = results;
  ONEFOLD_UNROLL
  for (int k = 0; k < count_ops(ops); ++k) r.place[k] = of_answer(r.place[k], answer);
  return r;
}

// Called by a block for the words of one answer; `i` is the answer's number in the order of the
// walk.
template <class T, uint32_t set, OpSet ops, bool selects, class M, class Input>
ONEFOLD_KERNEL void end_words(M m, const BlockWords<M, T, set, selects>& words, const Input& input,
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
    if constexpr (selects) {
      if (input.chosen.initial) {
        words.add_initial(m, bit_cast<T>(static_cast<bits_of<T>>(input.chosen.bits)));
      }
    }
    answer<T, set, ops>(m, words.words,
                        results_of(results, input.answer + static_cast<Size>(at.step)));
  }
  m.sync();
}

}  // namespace onefold::kernel
