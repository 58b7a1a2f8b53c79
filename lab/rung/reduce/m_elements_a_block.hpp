#pragma once

#include "lab/rung/reduce/modulo.hpp"

namespace onefold::lab::reduce {

// The scheme that the seven implementations fill in; the first of them is its kernel.
struct m_elements_a_block {
  static constexpr Rung about{
      .title = "m elements a block",
      .idea =
          "a block folds m elements in shared memory: about n + n/m reads, n/m writes, log_m n "
          "launches",
      .source = "002, use of the faster memory",
      .after = "naive",
      .flow = Flow::levels,
      .divisions = 1,
      .shared_a_thread = 1};

  ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> v, Out<M, T> w, Size n) { modulo::run<F, B>(m, v, w, n); }
};

}  // namespace onefold::lab::reduce
