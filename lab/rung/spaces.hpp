// The kernels of `spaces`.
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
struct constant : Types<uint32_t> {
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

enum class Load { plain, read_only, texture };

// y[i] = x[i * stride + offset]
//
//   sizes  0: stride; 1: offset; 2: a texture over x
template <Load load>
struct read_only : Types<uint32_t> {
  static constexpr About about{
      .title = "Plain and read-only loads",
      .idea = "read-only loads take the path of textures, but today both use one cache",
      .source = "002, texture memory"};

  ONEFOLD_POINT_KERNEL {
    const auto i = m.block() * m.threads() + m.thread();
    const auto at = i * static_cast<unsigned>(a[0]) + static_cast<unsigned>(a[1]);
    if constexpr (load == Load::plain) {
      y[i] = x[at];
    } else if constexpr (load == Load::read_only) {
      y[i] = m.read_only(x, at);
    } else {
      y[i] = m.texture(a[2], at);
    }
  }
};

enum class By { its_own, shuffle, shared_memory };

// Each lane adds its neighbour's number, again and again.
//
//   sizes  0: times
template <By by>
struct exchange : Types<uint32_t> {
  static constexpr About about{
      .title = "A neighbour's number",
      .idea = "from the thread's own register, by a shuffle, or through shared memory",
      .source = "002, registers and shared memory; 003, shuffles"};

  ONEFOLD_POINT_KERNEL {
    auto s = m.as_volatile(shared<uint32_t, 1024, exchange>(m));
    const auto t = m.thread();
    uint32_t v = x[m.lane()];
    for (Size k = 0; k < a[0]; ++k) {
      if constexpr (by == By::its_own) {
        v += v ^ (v >> 1);
      } else if constexpr (by == By::shuffle) {
        v += m.shuffle_xor(v, 1);
        v ^= v >> 1;
      } else {
        s[t] = v;
        m.sync_warp();
        const uint32_t w = s[t ^ 1];
        m.sync_warp();
        v += w;
        v ^= v >> 1;
      }
    }
    y[m.block() * m.threads() + t] = v;
  }
};

// 96 numbers a thread, all needed until the end: 255 registers hold them, the 64 that are left to
// a thread of a block of 1024 do not.
//
//   sizes  0: times; 1: a number that no compiler may know
struct spilling : Types<uint32_t> {
  static constexpr About about{.title = "Registers spilled",
                               .idea = "what registers cannot hold goes to memory and back",
                               .source = "002, registers"};

  ONEFOLD_POINT_KERNEL {
    constexpr unsigned numbers = 96;
    const uint32_t v = x[m.lane()];
    const auto factor = static_cast<uint32_t>(a[1]);
    uint32_t n[numbers];
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < numbers; ++k) n[k] = v + k;
    ONEFOLD_NO_UNROLL
    for (Size r = 0; r < a[0]; ++r) {
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < numbers; ++k) n[k] = n[k] * factor + n[(k + 1) % numbers];
    }
    uint32_t sum = 0;
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < numbers; ++k) sum += n[k] ^ k;
    y[m.block() * m.threads() + m.thread()] = sum;
  }
};

}  // namespace onefold::lab::spaces
