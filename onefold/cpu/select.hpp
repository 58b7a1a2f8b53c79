// A selection, which has one bit for each element: 1 if the element counts. Functions that use it:
//
//   read      Selection::append converts a mask to bits
//   sift      `within` clears the bits of elements that are too large, infinite or NaN
//   compress  copies selected elements together, for feeds
//   replace   replaces elements that are not selected by a value that changes no answer, for panels
#pragma once

#include <cstddef>

#include "onefold/cpu/feed.hpp"
#include "onefold/cpu/inputs.hpp"
#include "onefold/engine/plan/selector.hpp"

namespace onefold::cpu_backend {

// The functions of a selection for one instruction set. n <= Selection::most. Element k has bit k %
// 64 of word k / 64.
struct SelectWays {
  // Writes a 1 for each byte that is not 0, and 0 beyond the n bits. Returns the number of ones.
  Size (*bits)(const std::byte* bytes, Size n, uint64_t* words);
  // Counts the ones in bits [begin, end).
  Size (*ones)(const uint64_t* words, Size begin, Size end);
  // Adds 1 to counts[k] if element k is selected; counts stop at 255. `counts` has room for 64
  // more.
  void (*count)(const uint64_t* words, Size n, uint8_t* counts);
  // Converts f32 to f64. `to` has room for 64 more bytes.
  void (*widen)(const float* x, Size n, double* to);
  // For each pair of finite, aligned numbers: writes the larger one to `larger`, and the smaller
  // one with its sign changed to `smaller`. Returns false if the type is not supported.
  bool (*order)(DType t, const std::byte* x, const std::byte* y, Size n, std::byte* larger,
                std::byte* smaller);
  // Functions for elements of one size. `to` has room for 64 more bytes after the last element.
  struct Elements {
    // Copies the selected elements together.
    void (*compress)(const std::byte* x, const uint64_t* words, Size n, std::byte* to);
    // Deselects elements whose magnitude, as bits, exceeds `greatest`. Copies all elements, with
    // the bits `with` in place of those that are not selected.
    void (*replace)(const std::byte* x, uint64_t* words, Size n, uint64_t greatest, uint64_t with,
                    std::byte* to);
    // Deselects elements whose magnitude, as bits, exceeds `greatest`. Returns how many stay
    // selected.
    Size (*within)(const std::byte* x, uint64_t greatest, Size n, uint64_t* words);
    // Returns whether no magnitude exceeds `greatest`, for any n.
    bool (*all_within)(const std::byte* x, uint64_t greatest, Size n);
  };
  Elements of_size[4];
  const Elements& of(Size bytes) const { return of_size[bit_length(uint64_t{bytes}) - 1]; }
};
const SelectWays& select_ways(Target target);

// The bits of +infinity. The magnitude bits of every NaN are greater.
constexpr uint64_t infinity_bits(DType t) { return float_format(t).infinity(); }

// A word whose n lowest bits are 1; 0 < n <= 64.
constexpr uint64_t low_bits(Size n) { return ~uint64_t{0} >> (64 - n); }

struct Selection {
  static constexpr Size most = 4096;
  uint64_t word[most / 64 + 1];
  Size n = 0;      // elements
  Size taken = 0;  // selected elements

  // Appends n elements, whose mask units are at, at + stride, ... Without a mask all are selected.
  void append(const SelectWays& ways, const Selector& by, int64_t at, int64_t stride, Size n);
  // Returns the index of the k-th selected element; 0 if there are fewer.
  Size place(Size k) const;

 private:
  void put(uint64_t bits, Size n);
};

// Copies the selected ones of n elements, from one input or from two.
inline void compress(const SelectWays& ways, const Inputs& from, const uint64_t* words, Size n,
                     Size bytes, std::byte* x, std::byte* y) {
  ways.of(bytes).compress(from.x, words, n, x);
  if (from.y != nullptr) ways.of(bytes).compress(from.y, words, n, y);
}

}  // namespace onefold::cpu_backend
