#pragma once

#include "lab/text.hpp"

namespace onefold::lab::spaces {

enum class Load { plain, read_only, texture };

// y[i] = x[i * stride + offset]
//
//   sizes  0: stride; 1: offset; 2: a texture over x
template <Load load>
struct read_only {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{
      .title = "Plain and read-only loads",
      .idea = "the texture's way to memory: today both go through one cache",
      .source = "002, texture memory"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
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

}  // namespace onefold::lab::spaces
