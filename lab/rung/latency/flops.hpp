#pragma once

#include "lab/text.hpp"

namespace onefold::lab::latency {

// Reads a word, works on it, writes it.
//
//   sizes  0: elements; 1: multiply-adds a word; 2: 1
struct flops {
  using X = uint32_t;
  using Y = float;
  static constexpr About about{
      .title = "Multiply-adds a word",
      .idea = "memory is the limit until the arithmetic of a word takes longer than its transfer",
      .source = "002, balance",
      .published = {{24, "flops a float", "G200"}, {30, "flops a float", "G100"}}};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto one = static_cast<float>(a[2]);
    const auto count = static_cast<unsigned>(a[1]);
    const Size i = Size(m.block()) * m.threads() + m.thread();
    float v = static_cast<float>(x[i] & 255);
    for (unsigned k = 0; k < count; ++k) v = m.fma(v, one, one);
    y[i] = v;
  }
};

}  // namespace onefold::lab::latency
