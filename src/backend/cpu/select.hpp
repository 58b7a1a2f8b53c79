// Masks as words of 64 bits, and the elements that they take side by side.
#pragma once

#include <cstddef>

#include "backend/cpu/feed.hpp"
#include "plan/selector.hpp"

namespace onefold::cpu_backend {

// Of one element after another, bit k % 64 of word k / 64: whether it is taken.
struct Selection {
  static constexpr Size most = 4096;
  uint64_t word[most / 64 + 1] = {};
  Size n = 0;      // elements
  Size taken = 0;  // of them

  // The place of the k-th one that is taken; 0 if there are not so many.
  Size place(Size k) const;
};

// How an instruction set does it.
struct SelectWays {
  // n bytes as bits, whether they are not 0, at the beginning of words, and how many are;
  // n <= Selection::most, and bits beyond n of the last word are 0 or as they were.
  Size (*bits)(const std::byte* bytes, Size n, uint64_t* words);
  // Copies those of n elements of 1, 2, 4, 8 bytes that are taken. `to` has room for a vector of 64
  // bytes behind the last.
  using Compress = void (*)(const std::byte* x, const uint64_t* words, Size n, std::byte* to);
  Compress compress_1, compress_2, compress_4, compress_8;
  // Whether n floating-point elements are finite.
  bool (*all_finite)(DType t, const std::byte* x, Size n);
  // Of each pair of finite numbers, aligned, the larger, and the smaller with its sign turned;
  // false: not of this type.
  bool (*order)(DType t, const std::byte* x, const std::byte* y, Size n, std::byte* larger,
                std::byte* smaller);
  Compress compress(Size bytes) const {
    return bytes == 1 ? compress_1 : bytes == 2 ? compress_2 : bytes == 4 ? compress_4 : compress_8;
  }
};
const SelectWays& select_ways(Target target);

// Appends n elements, whose mask is at unit `at` and every `stride` units from there on.
void append(Selection& to, const SelectWays& ways, const Selector& by, int64_t at, int64_t stride,
            Size n);

}  // namespace onefold::cpu_backend
