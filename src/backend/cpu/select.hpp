// A selection: one bit for each element says whether it counts; and functions that use it.
//
//   read      converts a mask to bits: Selection::append
//   sift      clears the bits of elements of too great a magnitude, NaN or infinities: within
//   compress  moves selected elements together, for feeds
//   replace   replaces other elements by values that change no answer, for panels
#pragma once

#include <cstddef>

#include "backend/cpu/feed.hpp"
#include "backend/cpu/inputs.hpp"
#include "plan/selector.hpp"

namespace onefold::cpu_backend {

// The functions of a selection for one instruction set. n <= Selection::most; bit k % 64 of word k
// / 64 belongs to element k.
struct SelectWays {
  // n bytes as bits, whether they are not 0, and how many are; bits beyond n are 0.
  Size (*bits)(const std::byte* bytes, Size n, uint64_t* words);
  // Counts the bits of [begin, end) that are 1.
  Size (*ones)(const uint64_t* words, Size begin, Size end);
  // Adds to the count of each of n elements whether it is taken, up to 255; room for 64 behind.
  void (*count)(const uint64_t* words, Size n, uint8_t* counts);
  // f32 to f64. `to` has room for 64 bytes behind.
  void (*widen)(const float* x, Size n, double* to);
  // Writes the larger of each pair of finite, aligned numbers, and the smaller with its sign
  // changed; false: not for this type.
  bool (*order)(DType t, const std::byte* x, const std::byte* y, Size n, std::byte* larger,
                std::byte* smaller);
  // Elements of one size. `to` has room for a vector of 64 bytes behind the last.
  struct Elements {
    // Copies those that are taken.
    void (*compress)(const std::byte* x, const uint64_t* words, Size n, std::byte* to);
    // Takes away the bits of elements whose magnitude has greater bits than `greatest`, and copies
    // all, those that are not taken as the bits `with`.
    void (*replace)(const std::byte* x, uint64_t* words, Size n, uint64_t greatest, uint64_t with,
                    std::byte* to);
    // Takes away such bits; how many are left.
    Size (*within)(const std::byte* x, uint64_t greatest, Size n, uint64_t* words);
    // Whether there are none to take away. Of any number of elements.
    bool (*all_within)(const std::byte* x, uint64_t greatest, Size n);
  };
  Elements of_size[4];
  const Elements& of(Size bytes) const { return of_size[bit_length(uint64_t{bytes}) - 1]; }
};
const SelectWays& select_ways(Target target);

// An infinity's bits; those of a NaN are greater, but for the sign.
constexpr uint64_t infinity_bits(DType t) {
  const FloatFormat f = float_format(t);
  return ((uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits;
}

// The n lowest bits; 0 < n <= 64.
constexpr uint64_t low_bits(Size n) { return ~uint64_t{0} >> (64 - n); }

struct Selection {
  static constexpr Size most = 4096;
  uint64_t word[most / 64 + 1];
  Size n = 0;      // elements
  Size taken = 0;  // selected elements

  // Appends n elements, whose mask is at unit `at` and every `stride` units from there on; without
  // a mask all are taken.
  void append(const SelectWays& ways, const Selector& by, int64_t at, int64_t stride, Size n);
  // The place of the k-th one that is taken; 0 if there are not so many.
  Size place(Size k) const;

 private:
  void put(uint64_t bits, Size n);
};

// Copies those of n elements of one input or two that are taken.
inline void compress(const SelectWays& ways, const Inputs& from, const uint64_t* words, Size n,
                     Size bytes, std::byte* x, std::byte* y) {
  ways.of(bytes).compress(from.x, words, n, x);
  if (from.y != nullptr) ways.of(bytes).compress(from.y, words, n, y);
}

}  // namespace onefold::cpu_backend
