// The two kernels of a fold whose parts lie on several devices: one writes each device's partial
// results as a message, one computes the answers from the merged messages. In between an engine
// such as NCCL adds the words and gathers the extremes
// (docs/decisions/0012-states-as-messages.md).
//
//   leave   writes this rank's sums, one thread for each word. Carries between limbs are passed on
//           by one step, so that the sum of 2^30 ranks' words fits an int64
//   meet    one block for each answer finds the extremes over all ranks, and rounds the sums
//   bits    the answers equal those of one fold of all parts
#pragma once

#include "onefold/cuda/kernel/end/words.hpp"

namespace onefold::kernel {

// Words before the answers' words, which show after the addition that all ranks took part: the
// number of ranks, and the sum of their kinds of state.
enum : int { ranks_added, kinds_added, check_words };

template <class M>
struct Ranks {
  Out<M, int64_t> state;  // this rank's states, in its walk's order of answers
  // Check words and the answers' words, in C order of answers; the engine adds those of all ranks.
  Out<M, int64_t> sum;
  Out<M, int64_t> mine, all;  // extremes of this rank; those of all ranks, one rank after another
  Size apart = 0;             // words between the extremes of consecutive ranks
  Size answers = 1;
  uint32_t ranks = 1, kind = 0;
  bool empty = false;  // if so, this rank has no elements, and `state` is not read
  // The loops from the walk's order of answers to C order, as in a loop nest.
  Size answer = 0;
  uint32_t kept = 0;
  NestAxis axis[most_axes];
};

// Counts the words of a state that the engine gathers, since extremes cannot be added.
template <class T, uint32_t set>
constexpr int carried_words() {
  using State = StateOf<T, set>;
  return State::size(Accumulator::least) + State::size(Accumulator::greatest);
}
template <class T, uint32_t set, class F>
ONEFOLD_KERNEL void for_extremes(F f) {
  using State = StateOf<T, set>;
  if constexpr (State::has(Accumulator::least)) {
    f.template operator()<accumulator::least<T>>(State::offset(Accumulator::least), 0);
  }
  if constexpr (State::has(Accumulator::greatest)) {
    f.template operator()<accumulator::greatest<T>>(State::offset(Accumulator::greatest),
                                                    State::size(Accumulator::least));
  }
}

// Returns word k of a state in a form that other ranks can add to; `at` gives its words.
template <class T, uint32_t set, class M, class At>
ONEFOLD_KERNEL int64_t word_to_add(M, At at, int k) {
  const int64_t v = at(k);
  int64_t to_add = v;
  Gathered<M, T, set>::for_limbs([&]<class A>(Accumulator a) {
    const int limb = k - StateOf<T, set>::offset(a);
    if (limb < 0 || limb >= A::limbs) return;
    if (limb < A::limbs - 1) to_add = v & 0xffffffff;
    if (limb > 0) to_add += at(k - 1) >> 32;
  });
  return to_add;
}

template <class T, uint32_t set, class M>
ONEFOLD_KERNEL void leave(M m, const Ranks<M>& r) {
  using State = StateOf<T, set>;
  constexpr int carried = carried_words<T, set>();
  const unsigned t = static_cast<unsigned>(m.thread());
  if (m.block() == 0 && t == 0) {
    r.sum[ranks_added] = int64_t{1};
    r.sum[kinds_added] = int64_t{r.kind};
  }
  ONEFOLD_NO_UNROLL
  for (Size i = m.block(); i < r.answers; i += m.blocks()) {
    const Size answer = r.answer + static_cast<Size>(answer_at<false>(r, i).step);
    const auto from = r.state + i * State::words;
    const auto to = r.sum + (check_words + answer * State::words);
    const auto at = [&](int k) {
      const int64_t v = from[k];
      return v;
    };
    ONEFOLD_NO_UNROLL
    for (int k = static_cast<int>(t); k < State::words; k += static_cast<int>(m.threads())) {
      to[k] = r.empty ? int64_t{0} : word_to_add<T, set>(m, at, k);
    }
    if (t != 0) continue;
    for_extremes<T, set>([&]<class A>(int offset, int place) {
      const typename A::State none;
      const int64_t words[] = {none.key, static_cast<int64_t>(none.index),
                               static_cast<int64_t>(none.nan_index)};
      for (int k = 0; k < A::words; ++k) {
        r.mine[answer * carried + static_cast<Size>(place + k)] =
            r.empty ? words[k] : at(offset + k);
      }
    });
  }
}

// Finds the least or greatest of all ranks, as words of a state.
template <class A, class M>
ONEFOLD_KERNEL void merge_ranks(const Ranks<M>& r, Size first, Shared<M, int64_t> to) {
  typename A::State best;
  ONEFOLD_NO_UNROLL
  for (unsigned k = 0; k < r.ranks; ++k) {
    const auto from = r.all + (first + k * r.apart);
    const int64_t key = from[0], index = from[1], nan_index = from[2];
    A::merge(
        best,
        {.key = key, .index = static_cast<Size>(index), .nan_index = static_cast<Size>(nan_index)});
  }
  to[0] = best.key;
  to[1] = static_cast<int64_t>(best.index);
  to[2] = static_cast<int64_t>(best.nan_index);
}

template <class T, uint32_t set, OpSet ops, class M>
ONEFOLD_KERNEL void meet(M m, const Ranks<M>& r, const Results<M, ops>& results) {
  using State = StateOf<T, set>;
  constexpr int carried = carried_words<T, set>();
  auto total = shared<int64_t, State::words, struct total_>(m);
  const unsigned t = static_cast<unsigned>(m.thread());
  const int64_t added = r.sum[ranks_added], kinds = r.sum[kinds_added];
  const bool agreed = added == int64_t{r.ranks} && kinds == int64_t{r.ranks} * r.kind;
  ONEFOLD_NO_UNROLL
  for (Size i = m.block(); i < r.answers; i += m.blocks()) {
    const Results<M, ops> places = results_of(results, i);
    if (!agreed) {
      if (t < static_cast<unsigned>(count_ops(ops))) {
        const Place<M> place = places.place[t];
        put_bits(m, place, static_cast<unsigned>(bytes_of(place.dtype)), 0, Status::mismatch);
      }
      continue;
    }
    const auto from = r.sum + (check_words + i * State::words);
    ONEFOLD_NO_UNROLL
    for (int k = static_cast<int>(t); k < State::words; k += static_cast<int>(m.threads())) {
      const int64_t v = from[k];
      total[k] = v;
    }
    m.sync();
    if (t == 0) {
      for_extremes<T, set>([&]<class A>(int offset, int place) {
        merge_ranks<A>(r, i * carried + static_cast<Size>(place), total + offset);
      });
    }
    m.sync();
    answer<T, set, ops>(m, total, places);
    m.sync();
  }
}

template <class T, uint32_t set, OpSet ops, class M>
ONEFOLD_KERNEL void ranks(M m, const Ranks<M>& r, const Results<M, ops>& results) {
  if constexpr (ops == 0) {
    leave<T, set>(m, r);
  } else {
    meet<T, set, ops>(m, r, results);
  }
}

}  // namespace onefold::kernel
