// The kernels of `banks`: shared memory is filled with x, then each lane reads one place of it and
// adds what it finds.
//
//   sizes  0, 1: of the pattern; 4: times to read; 5: 0, which no compiler may know, so that each
//          reading is done
#pragma once

#include "lab/text.hpp"

namespace onefold::lab::banks {

ONEFOLD_KERNEL uint32_t total(uint32_t e) { return e; }
ONEFOLD_KERNEL uint32_t total(uint64_t e) {
  return static_cast<uint32_t>(e) + static_cast<uint32_t>(e >> 32);
}
ONEFOLD_KERNEL uint32_t total(const Vector16<uint32_t>& e) { return e.sum(); }

// Kernel::place(lane, sizes) is the index that a lane reads.
template <class Kernel, class T = uint32_t, int Elements = 2048>
struct ReadShared {
  using X = T;
  using Y = uint32_t;

  ONEFOLD_POINT_KERNEL {
    auto s = shared<T, Elements, Kernel>(m);
    const auto t = m.thread();
    const unsigned turns = Elements / m.threads();
    for (unsigned k = 0; k < turns; ++k) {
      const T e = x[t + k * m.threads()];
      s[t + k * m.threads()] = e;
    }
    m.sync();
    auto place = Kernel::place(m.lane(), a);
    const auto step = static_cast<unsigned>(a[5]);
    uint32_t sum = 0;
    for (Size k = 0; k < a[4]; ++k) {
      const T e = s[place];
      sum += total(e);
      place += step;
    }
    y[m.block() * m.threads() + t] = sum;
  }
};

struct offset : ReadShared<offset> {
  static constexpr About about{.title = "s[t + offset]",
                               .idea = "neighbours read neighbours, wherever the first one begins",
                               .source = "002, access patterns"};

  template <class L>
  ONEFOLD_KERNEL static auto place(L lane, const Sizes& a) {
    return lane + static_cast<unsigned>(a[0]);
  }
};

struct stride : ReadShared<stride> {
  static constexpr About about{.title = "s[t * c]",
                               .idea = "free for odd c: c and the number of banks share no factor",
                               .source = "002, access patterns"};

  template <class L>
  ONEFOLD_KERNEL static auto place(L lane, const Sizes& a) {
    return lane * static_cast<unsigned>(a[0]);
  }
};

struct quotient : ReadShared<quotient> {
  static constexpr About about{.title = "s[t / c]",
                               .idea = "lanes that read the same word share one access",
                               .source = "002, access patterns"};

  template <class L>
  ONEFOLD_KERNEL static auto place(L lane, const Sizes& a) {
    return lane / static_cast<unsigned>(a[0]);
  }
};

struct broadcast : ReadShared<broadcast> {
  static constexpr About about{.title = "s[k]",
                               .idea = "all lanes read one word, and one access serves them",
                               .source = "002, broadcast"};

  template <class L>
  ONEFOLD_KERNEL static auto place(L lane, const Sizes& a) {
    return lane * 0u + static_cast<unsigned>(a[0]);
  }
};

struct column : ReadShared<column> {
  static constexpr About about{
      .title = "s[t][k]",
      .idea = "a column of a tile lies in one bank, unless each row is padded by one word",
      .source = "002, transposition: padding",
      .published = {{16, "ways", "c.c. 1.x, a tile 16 wide"}}};

  template <class L>
  ONEFOLD_KERNEL static auto place(L lane, const Sizes& a) {
    return lane * static_cast<unsigned>(a[0]) + static_cast<unsigned>(a[1]);
  }
};

template <class T>
struct wide : ReadShared<wide<T>, T, 512> {
  static constexpr About about{.title = "s[t] of 4, 8 or 16 bytes",
                               .idea = "a bank gives 4 bytes at a time: wide elements take turns",
                               .source = "002, organisation of shared memory"};

  template <class L>
  ONEFOLD_KERNEL static auto place(L lane, const Sizes&) {
    return lane + 0u;
  }
};

}  // namespace onefold::lab::banks
