#pragma once

#include "lab/text.hpp"

namespace onefold::lab::spaces {

struct ConstantTable {
  uint32_t v[64] = {};
  constexpr ConstantTable() {
    for (uint32_t k = 0; k < 64; ++k) v[k] = (k + 1) * 2654435761u;
  }
};
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
__constant__
#else
inline constexpr
#endif
    ConstantTable constant_table;

// Lanes read so many constants that stand side by side.
//
//   sizes  0: different constants, a power of two; 4: times; 5: 0, which no compiler may know
struct constant {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{.title = "Constants, by lane",
                               .idea = "one constant goes to all lanes at once; others take turns",
                               .source = "002, memory of constants"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X>, Out<M, Y> y, const Sizes& a) {
    auto at = m.lane() & static_cast<unsigned>(a[0] - 1);
    const auto step = static_cast<unsigned>(a[5]);
    uint32_t sum = 0;
    for (Size k = 0; k < a[4]; ++k) {
      sum += constant_table.v[at];
      at += step;
    }
    y[m.block() * m.threads() + m.thread()] = sum;
  }
};

}  // namespace onefold::lab::spaces
