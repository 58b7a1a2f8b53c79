#pragma once

#include "lab/rung/shared_block.hpp"

namespace onefold::lab::reduce {

struct bulk_copy {
  static constexpr Rung about{
      .title = "Bulk copies with a pipeline",
      .idea = "the copy engine fills one tile of shared memory while the threads add another",
      .source = "beyond the texts",
      .after = "vector_loads",
      .flow = Flow::atomic,
      .grid = Grid::chosen,
      .block_known = true};

  ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size n) {
    // 16 bytes a thread: 32 KB for the two slots of the largest block.
    enum : unsigned { per_thread = 16 / sizeof(T), tile = per_thread * B, slots = 2 };
    auto buffer = shared<T, tile * slots, struct buffer_>(m);
    auto sums = shared<T, B / 32, struct sums_>(m);
    const auto t = m.thread();
    const Size tiles = m.aligned(x, 16) ? n / tile : 0;
    if (t == 0) {
      for (unsigned s = 0; s < slots; ++s) m.open_bulk(s);
    }
    m.sync();
    // Copies of this block: tiles block, block + blocks, ...; the k-th goes to slot k % slots.
    const auto begin = [&](Size k) {
      const Size j = m.block() + k * m.blocks();
      if (j < tiles)
        m.copy_bulk(buffer + k % slots * tile, x + j * tile, tile, unsigned(k % slots));
    };
    if (t == 0) {
      for (unsigned s = 0; s < slots; ++s) begin(s);
    }
    T v = T(0);
    for (Size k = 0; m.block() + k * m.blocks() < tiles; ++k) {
      const auto slot = unsigned(k % slots);
      m.wait_bulk(slot, unsigned(k / slots % 2));
      for (unsigned q = 0; q < per_thread; ++q) v += buffer[slot * tile + q * B + t];
      m.sync();  // all have read the slot
      if (t == 0) begin(k + slots);
    }
    for (auto i = tiles * tile + Size(m.block()) * B + t; m.inside(i, n);
         i += Size(B) * m.blocks()) {
      v += x[i];
    }
    v = block_sum<B>(m, sums, t, v);
    if (t == 0) m.add(y, 0, v);
  }
};

}  // namespace onefold::lab::reduce
