// The kernels of `unrolling`.
#pragma once

#include "lab/text.hpp"

namespace onefold::lab::unrolling {

// The same loop as it stands: the compiler does what it likes.
//
//   sizes  0: words of b
struct left_alone : Types<uint32_t> {
  static constexpr About about{.title = "The same, left alone",
                               .idea = "the compiler unrolls a loop of 16 steps unasked",
                               .source = "002, what the compiler can do"};

  ONEFOLD_POINT_KERNEL {
    const auto i = Size(m.block()) * 4096 + m.thread();
    for (unsigned k = 0; k < 16; ++k) {
      const uint32_t b = x[i + k * 256], c = x[i + k * 256 + a[0]];
      y[i + k * 256] = b + c;
    }
  }
};

// A block of 256 adds 16 stretches of 256 words: a[i] = b[i] + c[i], b in the first half of x and c
// in the second.
//
//   sizes  0: words of b
template <int U>
struct by_pragma : Types<uint32_t> {
  static constexpr About about{.title = "A short loop, unrolled by the compiler",
                               .idea = "fewer jumps and counters, and loads that need not wait",
                               .source = "001, unrolling; 002, #pragma unroll"};

  ONEFOLD_POINT_KERNEL {
    const auto i = Size(m.block()) * 4096 + m.thread();
    ONEFOLD_UNROLL_BY(U)
    for (unsigned k = 0; k < 16; ++k) {
      const uint32_t b = x[i + k * 256], c = x[i + k * 256 + a[0]];
      y[i + k * 256] = b + c;
    }
  }
};

// The same loop with four steps written out: all loads, then all stores.
//
//   sizes  0: words of b
struct by_hand : Types<uint32_t> {
  static constexpr About about{.title = "The same, unrolled by hand",
                               .idea = "as in text 001: more work between two jumps",
                               .source = "001, unrolling by 2 on the CPU"};

  ONEFOLD_POINT_KERNEL {
    auto i = Size(m.block()) * 4096 + m.thread();
    ONEFOLD_NO_UNROLL
    for (unsigned k = 0; k < 16; k += 4) {
      const uint32_t b0 = x[i], b1 = x[i + 256], b2 = x[i + 512], b3 = x[i + 768];
      const uint32_t c0 = x[i + a[0]], c1 = x[i + 256 + a[0]];
      const uint32_t c2 = x[i + 512 + a[0]], c3 = x[i + 768 + a[0]];
      y[i] = b0 + c0;
      y[i + 256] = b1 + c1;
      y[i + 512] = b2 + c2;
      y[i + 768] = b3 + c3;
      i += 1024u;
    }
  }
};

}  // namespace onefold::lab::unrolling
