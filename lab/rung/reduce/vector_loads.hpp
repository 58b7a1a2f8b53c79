#pragma once

#include "lab/rung/shared_block.hpp"

namespace onefold::lab::reduce {

struct vector_loads {
  static constexpr Rung about{
      .title = "16-byte loads, four in flight",
      .idea = "fewer and wider requests, of which several are in flight at a time",
      .source = "beyond the texts",
      .after = "atomic_a_block",
      .flow = Flow::atomic,
      .grid = Grid::chosen,
      .block_known = true};

  ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size n) {
    auto sums = shared<T, B / 32, struct sums_>(m);
    const auto t = m.thread();
    const auto first = Size(m.block()) * B + t;
    const Size stride = Size(B) * m.blocks();
    T v = T(0);
    Size done = 0;
    if (m.aligned(x, sizeof(Vector16<T>))) {
      auto wide = m.by_vector(x);
      const Size vectors = n / Vector16<T>::size;
      auto i = first;
      for (; m.inside(i + 3 * stride, vectors); i += 4 * stride) {
        const Vector16<T> a = wide[i], b = wide[i + stride];
        const Vector16<T> c = wide[i + 2 * stride], d = wide[i + 3 * stride];
        v += (a.sum() + b.sum()) + (c.sum() + d.sum());
      }
      for (; m.inside(i, vectors); i += stride) {
        const Vector16<T> a = wide[i];
        v += a.sum();
      }
      done = vectors * Vector16<T>::size;
    }
    for (auto i = done + first; m.inside(i, n); i += stride) v += x[i];
    v = block_sum<B>(m, sums, t, v);
    if (t == 0) m.add(y, 0, v);
  }
};

}  // namespace onefold::lab::reduce
