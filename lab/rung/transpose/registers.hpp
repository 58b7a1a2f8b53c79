#pragma once

#include "lab/rung/tile.hpp"

namespace onefold::lab::transpose {

// A thread turns a square of W x W elements, W vectors of 16 bytes; a warp has 8 squares in a row
// and 4 below one another; 8 warps stand below one another.
template <class T>
struct registers {
  using X = T;
  using Y = T;
  static constexpr About about{.title = "In registers",
                               .idea = "each lane turns a small square by itself: no shared memory",
                               .source = "beyond 002"};

  enum : int { W = 16 / sizeof(T), Across = 8 * W, Down = 32 * W, threads = 256 };

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto across = static_cast<unsigned>((a[1] + Across - 1) / Across);
    const auto t = m.thread();
    const auto row = m.block() / across * Down + t / 8 * W;
    const auto column = m.block() % across * Across + t % 8 * W;
    if (a[0] % W == 0 && a[1] % W == 0) {  // then no square straddles an edge
      if (!m.inside(column, a[1]) || !m.inside(row, a[0])) return;
      auto x16 = m.by_vector(x);
      auto y16 = m.as_vectors(y);
      Vector16<T> e[W];
      for (unsigned j = 0; j < W; ++j) e[j] = x16[((row + j) * a[1] + column) / W];
      for (unsigned k = 0; k < W; ++k) {
        Vector16<T> turned;
        for (int j = 0; j < W; ++j) turned.v[j] = e[j].v[k];
        y16[((column + k) * a[0] + row) / W] = turned;
      }
    } else {
      for (unsigned j = 0; j < W; ++j) {
        for (unsigned k = 0; k < W; ++k) {
          if (m.inside(column + k, a[1]) && m.inside(row + j, a[0])) {
            y[(column + k) * a[0] + row + j] = x[(row + j) * a[1] + column + k];
          }
        }
      }
    }
  }
};

}  // namespace onefold::lab::transpose
