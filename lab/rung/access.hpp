// The kernels of `access`: x is copied to y by some index, or read for its speed.
#pragma once

#include "lab/text.hpp"

namespace onefold::lab::access {

// Kernel::place(i, sizes) is the element of x that thread i reads.
//
//   sizes  0: of the pattern; 1: threads that copy; 2: x's elements less one, a power of two 2^k;
//          3: k
template <class Kernel, class T>
struct CopyByPlace {
  using X = T;
  using Y = T;

  ONEFOLD_POINT_KERNEL {
    const auto i = m.block() * m.threads() + m.thread();
    if (m.inside(i, a[1])) y[i] = x[Kernel::place(i, a)];
  }
};

// sizes  0: offset
template <class T>
struct offset : CopyByPlace<offset<T>, T> {
  static constexpr About about{
      .title = "y[i] = x[i + offset]",
      .idea = "neighbouring lanes read neighbouring elements, but the first one may be misaligned",
      .source = "002, access to global memory",
      .published = {{0.125, "of the speed, misaligned", "c.c. 1.0 and 1.1"}}};

  template <class I>
  ONEFOLD_KERNEL static auto place(I i, const Sizes& a) {
    return i + static_cast<unsigned>(a[0]);
  }
};

// sizes  0: stride
struct stride : CopyByPlace<stride, float> {
  static constexpr About about{.title = "y[i] = x[i * stride]",
                               .idea = "the wider the stride, the fewer lanes share a sector",
                               .source = "002, access to global memory"};

  template <class I>
  ONEFOLD_KERNEL static auto place(I i, const Sizes& a) {
    // Past the end it goes on from the beginning, one element further.
    const auto far = i * static_cast<unsigned>(a[0]);
    return (far & static_cast<unsigned>(a[2])) + (far >> static_cast<unsigned>(a[3]));
  }
};

// sizes  0: an odd number that lanes are multiplied by
struct permuted : CopyByPlace<permuted, float> {
  static constexpr About about{.title = "y[i] = x[i, permuted within the warp]",
                               .idea = "the same sectors in another order",
                               .source = "002, access to global memory"};

  template <class I>
  ONEFOLD_KERNEL static auto place(I i, const Sizes& a) {
    const auto lane = i % 32 * static_cast<unsigned>(a[0]) % 32;
    return i / 32 * 32 + lane;
  }
};

struct gather : CopyByPlace<gather, float> {
  static constexpr About about{.title = "y[i] = x[random]",
                               .idea = "each lane moves a whole sector",
                               .source = "002, access to global memory"};

  template <class I>
  ONEFOLD_KERNEL static auto place(I i, const Sizes& a) {
    auto h = i ^ (i >> 16u);
    h = h * 0x85ebca6bu;
    h = h ^ (h >> 13u);
    h = h * 0xc2b2ae35u;
    return (h ^ (h >> 16u)) & static_cast<unsigned>(a[2]);
  }
};

// sizes  1: threads that copy
struct streaming {
  using X = float;
  using Y = X;
  static constexpr About about{.title = "y[i] = x[i], read and written once",
                               .idea = "loads and stores with a hint not to cache the data",
                               .source = "beyond 002: cached and streaming loads"};

  template <class I>
  ONEFOLD_KERNEL static auto place(I i, const Sizes&) {
    return i + 0u;
  }
  ONEFOLD_POINT_KERNEL {
    const auto i = m.block() * m.threads() + m.thread();
    if (m.inside(i, a[1])) m.write_once(y, i, m.read_once(x, i));
  }
};

// Each block reads as many vectors as another, from a place of its own (from one place, the chip
// serves many multiprocessors by one read), and begins again where the set ends.
//
//   sizes  0: vectors of the set, a power of two; 1: vectors that a block reads; 2: from the place
//          of a block to that of the next
struct working_set {
  using X = Vector16<uint32_t>;
  using Y = uint32_t;
  static constexpr About about{.title = "Reads of a set, again and again",
                               .idea = "a set that a cache holds is read at the cache's speed",
                               .source = "002, Fermi's caches"};

  ONEFOLD_POINT_KERNEL {
    const auto mask = static_cast<unsigned>(a[0]) - 1;
    const auto each = static_cast<unsigned>(a[1]);
    auto at = m.block() * static_cast<unsigned>(a[2]) + m.thread();
    uint32_t sum = 0;
    for (unsigned k = 0; k < each / m.threads(); k += 4) {
      X e[4];
      for (int j = 0; j < 4; ++j) {
        e[j] = x[at & mask];
        at += m.threads();
      }
      for (int j = 0; j < 4; ++j) sum += e[j].sum();
    }
    y[m.block() * m.threads() + m.thread()] = sum;
  }
};

}  // namespace onefold::lab::access
