// Chunks of elements that are added to sums of digits (digits.hpp). A chunk gives its elements as
// bits of f32, and the range of their magnitudes.
#pragma once

#include "onefold/cuda/kernel/either.hpp"
#include "onefold/cuda/kernel/number/packed.hpp"
#include "onefold/cuda/kernel/number/scalar.hpp"

namespace onefold::kernel {

template <class T>
struct DigitsOf {
  static constexpr FloatFormat format = float_format(dtype_of<T>);
  // exact: the digits hold every number of the type.
  static constexpr bool wide = sizeof(T) == 4, exact = dtype_of<T> == DType::f16;
  // The number of a sum's digits, and how many of them hold most chunks exactly.
  static constexpr int all = wide ? 3 : 2, few = all - (exact ? 0 : 1);
  static constexpr int mantissa_bits = format.mantissa_bits;
  using Sum = Either<wide, Int128, int64_t>;
};

// An anchor E, stored as the exponent field E + 127 of an f32, with flags in the bits below.
template <class T>
struct Anchors {
  using D = DigitsOf<T>;
  enum : uint32_t {
    fields = 0xff800000u,
    zeros = 1,  // a lane's first chunk was all zero
    inexact = 2,
    positive = 4,  // and one of those zeros is +0
    nan = 8,
    above = 16,  // +inf
    below = 32,
    special = nan | above | below,
    flags = zeros | inexact | positive | special,
    one = 1u << 23,
    infinity = (D::exact ? 127 + 16 : 255) * one,
    // The least anchor: there the last digit's unit is that of the type's smallest number.
    lowest = (D::exact  ? 127 + 21
              : D::wide ? 46
                        : 39) *
             one
  };
  // Returns 1.5 * 2^23 units of digit i; for the first digit, times 2^-32.
  ONEFOLD_KERNEL static uint32_t magic(uint32_t anchor, int i) {
    const uint32_t down = i == 0 ? 31 : 23 * static_cast<uint32_t>(i) - 1;
    return anchor - down * one + one / 2;
  }
};

// The unit of a launch's sums: 2^spare times the anchor's, so that a sum of n elements cannot
// overflow. For f16 the last unit is 2^-24, unless n and elements are large.
template <class T>
struct DigitUnit {
  using A = Anchors<T>;
  static constexpr bool plain = false;
  static constexpr uint32_t least = DigitsOf<T>::exact ? 5 * A::one : 0;
  uint32_t spare = least;
  ONEFOLD_KERNEL DigitUnit() = default;
  ONEFOLD_KERNEL explicit DigitUnit(Size n) {
    const int more = bit_length(static_cast<uint64_t>(n)) - 17;
    if (DigitsOf<T>::wide || more <= 0) return;
    const uint32_t wanted = static_cast<uint32_t>(more) * A::one;
    spare = wanted > least ? wanted : least;
  }
  ONEFOLD_KERNEL uint32_t lowest() const {
    return DigitsOf<T>::exact ? A::lowest - spare : uint32_t{A::lowest};
  }
};

// Returns an element's bits as an f32's; for halves, one of a word's two.
template <class T>
ONEFOLD_KERNEL uint32_t f32_bits(uint32_t word, bool upper) {
  if constexpr (sizeof(T) == 4) {
    return word;
  } else if constexpr (dtype_of<T> == DType::bf16) {
    return upper ? word & 0xffff0000u : word << 16;
  } else {
    const auto half = static_cast<uint16_t>(upper ? word >> 16 : word & 0xffffu);
    return bit_cast<uint32_t>(f32_of(bit_cast<float16>(half)));
  }
}

// The range of magnitudes, as bits of f32. top is the greatest (for f16 at least that); key is the
// least other than zero, minus 1 (not for f16).
template <class T>
struct DigitRange {
  static constexpr bool halves = sizeof(T) == 2;
  uint32_t greatest = 0, least = ~0u;
  template <class M>
  ONEFOLD_KERNEL void add(M m, uint32_t word) {
    if constexpr (halves) {
      const uint32_t a = word & 0x7fff7fffu;
      greatest = m.max_halves(greatest, a);
      if constexpr (!DigitsOf<T>::exact) least = min_of_predecessor(a, least);
    } else {
      const uint32_t a = word & 0x7fffffffu;
      greatest = a > greatest ? a : greatest;
      least = a - 1 < least ? a - 1 : least;
    }
  }
  ONEFOLD_KERNEL static uint32_t top_of(uint32_t half) {
    if constexpr (!DigitsOf<T>::exact) return half << 16;
    return half == 0 ? 0 : (half << 13) + 112 * Anchors<T>::one;
  }
  ONEFOLD_KERNEL static uint32_t key_of(uint32_t less) {
    return less == 0xffffu ? ~0u : less << 16 | 0xffffu;
  }
  ONEFOLD_KERNEL uint32_t top() const { return halves ? top_of(greater_half(greatest)) : greatest; }
  ONEFOLD_KERNEL uint32_t key() const { return halves ? key_of(smaller_half(least)) : least; }
  // Returns the greatest magnitude of the upper or the lower half.
  ONEFOLD_KERNEL uint32_t top(bool upper) const {
    return top_of(upper ? greatest >> 16 : greatest & 0xffffu);
  }
  ONEFOLD_KERNEL uint32_t key(bool upper) const {
    return key_of(upper ? least >> 16 : least & 0xffffu);
  }
};

// A chunk: n elements of one answer; x(e) is element e as an f32's bits; top, key: see DigitRange.
template <class T>
struct OneElement {
  static constexpr int n = 1;
  uint32_t bits, top, key;
  ONEFOLD_KERNEL explicit OneElement(T one)
      : bits(f32_bits<T>(static_cast<uint32_t>(bit_cast<bits_of<T>>(one)), false)) {
    const auto raw = static_cast<uint32_t>(bit_cast<bits_of<T>>(one));
    top = sizeof(T) == 4 ? raw & 0x7fffffffu : DigitRange<T>::top_of(raw & 0x7fffu);
    key = top - 1;
  }
  ONEFOLD_KERNEL uint32_t x(int) const { return bits; }
};
// A chunk from one load of 16 bytes.
template <class T>
struct LoadedElements {
  static constexpr int n = 16 / sizeof(T), in_word = n / 4;
  Vector16<uint32_t> words = {};
  uint32_t top = 0, key = 0;
  ONEFOLD_KERNEL LoadedElements() = default;
  template <class M>
  ONEFOLD_KERNEL LoadedElements(M m, const Vector16<uint32_t>& load) : words(load) {
    DigitRange<T> range;
    ONEFOLD_UNROLL
    for (int k = 0; k < 4; ++k) range.add(m, words.v[k]);
    top = range.top();
    key = range.key();
  }
  ONEFOLD_KERNEL uint32_t x(int e) const {
    return f32_bits<T>(words.v[e / in_word], e % in_word != 0);
  }
};
// A chunk from a column of several rows; in each row a lane has the words of `columns` columns.
template <class T, int columns, int rows>
struct ColumnElements {
  static constexpr int n = rows,
                       in_row = columns * sizeof(T) < 4 ? 1 : columns * int{sizeof(T)} / 4,
                       in_word = sizeof(T) == 2 && columns > 1 ? 2 : 1;
  using Rows = uint32_t[rows][in_row];
  const Rows* words = nullptr;
  int column = 0;
  uint32_t top = 0, key = 0;
  ONEFOLD_KERNEL uint32_t x(int e) const {
    return f32_bits<T>((*words)[e][column / in_word], column % in_word != 0);
  }
  template <class M>
  ONEFOLD_KERNEL static void look(M m, const Rows& rows_of, ColumnElements (&all)[columns]) {
    ONEFOLD_UNROLL
    for (int k = 0; k < in_row; ++k) {
      DigitRange<T> range;
      ONEFOLD_UNROLL
      for (int e = 0; e < rows; ++e) range.add(m, rows_of[e][k]);
      ONEFOLD_UNROLL
      for (int h = 0; h < in_word; ++h) {
        ColumnElements& c = all[k * in_word + h];
        c.words = &rows_of;
        c.column = k * in_word + h;
        c.top = in_word == 2 || sizeof(T) == 2 ? range.top(h != 0) : range.top();
        c.key = in_word == 2 || sizeof(T) == 2 ? range.key(h != 0) : range.key();
      }
    }
  }
};

}  // namespace onefold::kernel
