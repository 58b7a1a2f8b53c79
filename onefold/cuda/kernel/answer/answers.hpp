// Rounds answers on the device, from the words of a state in shared memory.
//
//   bits    the same as on the processor, since exact/real.hpp and the ops are the same code
//   cost    one thread for each op. Long steps are shared: a warp carries the digits of a sum, and
//           the block multiplies for the variance
#pragma once

#include "onefold/cuda/kernel/answer/gathered.hpp"
#include "onefold/cuda/kernel/answer/place.hpp"
#include "onefold/cuda/kernel/answer/tame.hpp"

namespace onefold::kernel {

// Rounds the answers from the words of a state in shared memory. Called by a block or by one warp.
template <class T, uint32_t set, OpSet ops, bool by_block, class M>
ONEFOLD_KERNEL void answer_here(M m, Shared<M, int64_t> words, const Results<M, ops>& results) {
  using G = Gathered<M, T, set>;
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned warp = t / 32, warps = by_block ? m.threads() / 32 : 1;
  const G g{.words = words,
            .found = shared<int, G::found_words, struct found_>(m),
            .difference = shared<uint32_t, G::spread_words, struct difference_>(m),
            .nan = results.nan,
            .correction = results.correction};
  // Each warp prepares one sum; the same code serves all sums, so that it is compiled once.
  constexpr unsigned sums = G::count_limbs();
  ONEFOLD_NO_UNROLL
  for (unsigned k = warp; k < sums; k += warps) {
    int at = 0, n = 0, unit = 0, found = 0;
    unsigned turn = 0;
    G::for_limbs([&]<class A>(Accumulator a) {
      if (turn++ != k) return;
      at = G::State::offset(a), n = A::limbs, unit = A::unit;
      found = static_cast<int>(a) * found_columns;
    });
    normalize_limbs<multiplies_sums(ops)>(m, words + at, n, unit, g.found + found);
  }
  if constexpr (by_block) {
    m.sync();
    if constexpr (subtracts(ops)) G::subtract(m, g);
  } else {
    m.sync_warp();
  }
  if constexpr (M::pools_digits && multiplies_long(ops)) {  // one thread uses the pool
    if (t != 0) return;
    constexpr int digits = multiplies_moments(ops) ? digits_of_moments<T> : digits_of_pairs<T>;
    PooledDigits<M, digits>::open();
    int k = 0;
    each_op<ops>(
        [&]<class Op>() { put_cold<steps_of<T, ops>()>(m, results.place[k++], Op::finish(g)); });
    return;
  }
  // The ops are spread over the lanes of all warps, one op a lane; then all round at once.
  constexpr unsigned count = count_ops(ops);
  const unsigned mine = t % 32 * warps + warp;
  if (mine >= count) return;
  Real r;
  unsigned turn = 0;
  each_op<ops>([&]<class Op>() {
    if (count == 1 || turn == mine) r = Op::finish(g);
    ++turn;
  });
  put<steps_of<T, ops>()>(m, results.place[count == 1 ? 0 : mine], r);
}
template <class T, uint32_t set, OpSet ops, class M>
ONEFOLD_KERNEL_COLD void answer(M m, Shared<M, int64_t> words, Results<M, ops> results) {
  answer_here<T, set, ops, true>(m, words, results);
}
template <class T, uint32_t set, OpSet ops, class M>
ONEFOLD_KERNEL_COLD void answer_by_warp(M m, Shared<M, int64_t> words, Results<M, ops> results) {
  answer_here<T, set, ops, false>(m, words, results);
}

}  // namespace onefold::kernel
