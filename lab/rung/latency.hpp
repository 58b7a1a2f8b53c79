// The kernels of `latency`.
#pragma once

#include "lab/text.hpp"

namespace onefold::lab::latency {

// One thread follows a chain through memory, and takes the clocks of it.
//
//   sizes  0: steps; 1: steps before, which bring the chain into the caches
struct chase : Types<uint32_t, uint64_t> {
  static constexpr About about{
      .title = "A chain through global memory",
      .idea = "each load needs the result of the previous one",
      .source = "002, latency of memory",
      .published = {{400, "cycles at least", "G80, G200"}, {600, "cycles at most", "G80, G200"}}};

  ONEFOLD_POINT_KERNEL {
    uint32_t at = 0;
    for (Size k = 0; k < a[1]; ++k) at = x[at];
    const auto begin = m.clock();
    for (Size k = 0; k < a[0]; ++k) at = x[at];
    y[0] = m.clock() - begin;
    y[1] = at;
  }
};

// The same through shared memory.
//
//   sizes  0: steps
struct shared_chase : Types<uint32_t, uint64_t> {
  static constexpr About about{
      .title = "A chain through shared memory",
      .idea = "a word is written and read back, and its value is the next address",
      .source = "002, read-after-write latency"};

  ONEFOLD_POINT_KERNEL {
    auto s = shared<uint32_t, 1024, shared_chase>(m);
    for (unsigned k = 0; k < 1024; ++k) s[k] = x[k];
    uint32_t at = 0;
    const auto begin = m.clock();
    for (Size k = 0; k < a[0]; ++k) at = s[at];
    y[0] = m.clock() - begin;
    y[1] = at;
  }
};

// One warp's chain of dependent multiply-adds.
//
//   sizes  0: steps by 16; 1: 1, which no compiler may know
struct registers : Types<float, uint64_t> {
  static constexpr About about{
      .title = "A chain through a register",
      .idea = "each multiply-add needs the result of the previous one",
      .source = "002, read-after-write latency of registers",
      .published = {{192, "threads hide it", "c.c. 1.x"}, {768, "threads hide it", "c.c. 2.x"}}};

  ONEFOLD_POINT_KERNEL {
    const auto one = static_cast<float>(a[1]);
    float v = x[0];
    const auto begin = m.clock();
    for (Size k = 0; k < a[0]; ++k) {
      for (int j = 0; j < 16; ++j) v = m.fma(v, one, one);
    }
    y[m.thread() * 2] = m.clock() - begin;
    y[m.thread() * 2 + 1] = static_cast<uint64_t>(v);
  }
};

// The same chain in every thread of as many warps as are wanted on a multiprocessor.
//
//   sizes  0: steps by 16; 1: 1
struct hidden : Types<float> {
  static constexpr About about{
      .title = "Chains in many warps",
      .idea = "while one warp waits for its register, another issues",
      .source = "002, hiding of latency",
      .published = {{192, "threads hide it", "c.c. 1.x"}, {768, "threads hide it", "c.c. 2.x"}}};

  ONEFOLD_POINT_KERNEL {
    const auto one = static_cast<float>(a[1]);
    float v = x[m.lane()];
    for (Size k = 0; k < a[0]; ++k) {
      for (int j = 0; j < 16; ++j) v = m.fma(v, one, one);
    }
    y[m.block() * m.threads() + m.thread()] = v;
  }
};

// A chain of its own through memory in every thread of as many warps as are wanted.
//
//   sizes  0: steps; 1: where the beginnings are; 2: how many of them apart threads begin
struct hidden_loads : Types<uint32_t> {
  static constexpr About about{
      .title = "Chains of loads in many warps",
      .idea =
          "while one warp waits for memory, another sends requests, until the memory is fully used",
      .source = "002, hiding of latency"};

  ONEFOLD_POINT_KERNEL {
    const Size first = Size(m.block()) * m.threads() + m.thread();
    uint32_t at = x[a[1] + first * a[2]];
    for (Size k = 0; k < a[0]; ++k) at = x[at];
    y[first] = at;
  }
};

// A sum with L loads in flight a thread.
//
//   sizes  0: elements
template <int L>
struct loads : Types<uint32_t> {
  static constexpr About about{.title = "Loads in flight",
                               .idea =
                                   "bytes in flight = bandwidth x latency: by warps, or by "
                                   "independent loads of one thread",
                               .source = "002, hiding of latency; 001, unrolling"};

  ONEFOLD_POINT_KERNEL {
    const Size stride = Size(m.blocks()) * m.threads();
    const Size first = Size(m.block()) * m.threads() + m.thread();
    uint32_t sum = 0;
    for (Size i = first; i + (L - 1) * stride < a[0]; i += L * stride) {
      uint32_t e[L];
      for (int k = 0; k < L; ++k) e[k] = x[i + static_cast<Size>(k) * stride];
      for (int k = 0; k < L; ++k) sum += e[k];
    }
    y[first] = sum;
  }
};

// The same in blocks that each take the same time.
struct waves : hidden {
  static constexpr About about{.title = "Blocks by waves",
                               .idea = "one block more than fits at once starts another wave",
                               .source = "002, the number of blocks matters"};
};

// Reads a word, works on it, writes it.
//
//   sizes  0: elements; 1: multiply-adds a word; 2: 1
struct flops : Types<uint32_t, float> {
  static constexpr About about{
      .title = "Multiply-adds a word",
      .idea = "memory is the limit until the arithmetic of a word takes longer than its transfer",
      .source = "002, balance",
      .published = {{24, "flops a float", "G200"}, {30, "flops a float", "G100"}}};

  ONEFOLD_POINT_KERNEL {
    const auto one = static_cast<float>(a[2]);
    const auto count = static_cast<unsigned>(a[1]);
    const Size i = Size(m.block()) * m.threads() + m.thread();
    float v = static_cast<float>(x[i] & 255);
    for (unsigned k = 0; k < count; ++k) v = m.fma(v, one, one);
    y[i] = v;
  }
};

}  // namespace onefold::lab::latency
