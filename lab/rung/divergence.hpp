// The kernels of `divergence`: steps of text 001's trees, branches, and loops.
#pragma once

#include "lab/text.hpp"

namespace onefold::lab::divergence {

// Two ways of mixing a number, as long as each other.
ONEFOLD_KERNEL uint32_t one_way(uint32_t v, Size rounds) {
  for (Size k = 0; k < rounds; ++k) v = (v ^ (v >> 15)) * 0x2c1b3c6du + 1u;
  return v;
}
ONEFOLD_KERNEL uint32_t other_way(uint32_t v, Size rounds) {
  for (Size k = 0; k < rounds; ++k) v = (v ^ (v >> 12)) * 0x297a2d39u + 3u;
  return v;
}

// sizes  0: distance of the partners
struct neighbored : Types<uint32_t> {
  static constexpr About about{
      .title = "A step of reduceNeighbored",
      .idea = "every second, fourth, ... thread works: all warps stay active and diverge",
      .source = "001, branch divergence"};

  ONEFOLD_POINT_KERNEL {
    const auto t = m.thread();
    const auto first = m.block() * m.threads();
    const auto distance = static_cast<unsigned>(a[0]);
    uint32_t v = x[first + t];
    if (t % (2 * distance) == 0) {
      const uint32_t w = x[first + t + distance];
      v += w;
    }
    y[first + t] = v;
  }
};

// sizes  0: distance of the partners
struct neighbored_less : Types<uint32_t> {
  static constexpr About about{
      .title = "A step of reduceNeighboredLess",
      .idea = "the first threads work, wherever the elements are: whole warps go idle",
      .source = "001, branch divergence",
      .published = {{1.26, "x neighbored", "Tesla M2070"}}};

  ONEFOLD_POINT_KERNEL {
    const auto t = m.thread();
    const auto first = m.block() * m.threads();
    const auto distance = static_cast<unsigned>(a[0]);
    uint32_t v = x[first + t];
    const auto at = 2 * distance * t;
    if (at < m.threads()) {
      const uint32_t p = x[first + at], q = x[first + at + distance];
      v = p + q;
    }
    y[first + t] = v;
  }
};

// sizes  0: distance of the partners
struct interleaved : Types<uint32_t> {
  static constexpr About about{.title = "A step of reduceInterleaved",
                               .idea = "the first threads add the elements of the other half",
                               .source = "001, branch divergence",
                               .published = {{1.69, "x neighbored", "Tesla M2070"}}};

  ONEFOLD_POINT_KERNEL {
    const auto t = m.thread();
    const auto first = m.block() * m.threads();
    const auto distance = static_cast<unsigned>(a[0]);
    uint32_t v = x[first + t];
    if (t < distance) {
      const uint32_t w = x[first + t + distance];
      v += w;
    }
    y[first + t] = v;
  }
};

// Kernel::one(m, t, v) says which way thread t goes with the number v.
//
//   sizes  0: rounds
template <class Kernel>
struct TwoWays : Types<uint32_t> {
  ONEFOLD_POINT_KERNEL {
    const auto t = m.thread();
    const auto i = m.block() * m.threads() + t;
    const uint32_t v = x[i];
    if (Kernel::one(m, t, v)) {
      y[i] = one_way(v, a[0]);
    } else {
      y[i] = other_way(v, a[0]);
    }
  }
};

struct by_warp : TwoWays<by_warp> {
  static constexpr About about{.title = "Branch by the warp's parity",
                               .idea = "each warp takes one branch, so no lane waits",
                               .source = "001, branch divergence; 002, SIMT"};

  template <class M, class T>
  ONEFOLD_KERNEL static bool one(M, T t, uint32_t) {
    return t / 32 % 2 == 0;
  }
};

struct by_parity : TwoWays<by_parity> {
  static constexpr About about{
      .title = "Branch by the lane's parity",
      .idea = "half of each warp takes each branch, so the warp executes both",
      .source = "001, branch divergence; 002, SIMT"};

  template <class M, class T>
  ONEFOLD_KERNEL static bool one(M, T t, uint32_t) {
    return t % 2 == 0;
  }
};

struct by_data : TwoWays<by_data> {
  static constexpr About about{.title = "Branch by the data",
                               .idea = "random bits: nearly every warp executes both branches",
                               .source = "001, branch divergence; 002, SIMT"};

  template <class M, class T>
  ONEFOLD_KERNEL static bool one(M m, T, uint32_t v) {
    return m.branch(v % 2 == 0);
  }
};

// sizes  0: rounds
struct selected : Types<uint32_t> {
  static constexpr About about{.title = "Select instead of a branch",
                               .idea = "all lanes compute both values and select one: no branch",
                               .source = "001, branch divergence; 002, SIMT"};

  ONEFOLD_POINT_KERNEL {
    const auto i = m.block() * m.threads() + m.thread();
    const uint32_t v = x[i];
    const uint32_t p = one_way(v, a[0]), q = other_way(v, a[0]);
    y[i] = v % 2 == 0 ? p : q;
  }
};

// sizes  0: rounds a trip; 1: trips of lane 0; 2: more trips for each further lane
struct trips : Types<uint32_t> {
  static constexpr About about{.title = "Loops of different length",
                               .idea = "a warp repeats the loop as often as its longest lane",
                               .source = "001, branch divergence; 002, SIMT"};

  ONEFOLD_POINT_KERNEL {
    const auto i = m.block() * m.threads() + m.thread();
    const auto count = m.lane() * static_cast<unsigned>(a[2]) + static_cast<unsigned>(a[1]);
    uint32_t v = 0;
    for (unsigned k = 0; count > k; ++k) {
      const uint32_t w = x[i];
      v = one_way(v + w, a[0]);
    }
    y[i] = v;
  }
};

}  // namespace onefold::lab::divergence
