// A lane's sum of one answer, for floats up to 32 bits, by integers: no instruction uses f64
// (docs/decisions/0043-digits.md).
//
//   digits   below an anchor E (every |x| < 2^E), digit i counts units of 2^(E - 22 - 23 i). x plus
//            1.5 * 2^23 units, in f32, has the digit in its low bits; the sum of such
//            bits is the sum of digits
//   sum      an integer in units of the last digit: 64 bits for two digits (bf16, f16), 128 for
//            three (f32)
//   chunk    elements that are added together, with fewer digits if these hold all of them
//   anchor   follows the greatest element of a chunk; if it rises, the sum is shifted
//   inexact  an element or a shift has lost bits: at most half a unit for each element, and two
//            units for all shifts of a lane
#pragma once

#include "onefold/cuda/kernel/quick/digit_chunks.hpp"
#include "onefold/cuda/kernel/quick/sums.hpp"

namespace onefold::kernel {

template <class T>
struct DigitSum {
  using D = DigitsOf<T>;
  using A = Anchors<T>;
  using V = typename D::Sum;
  V v = 0;
  uint32_t anchor = 0;

  // Returns whether a chunk is below the present anchor, and whether `few` digits hold it.
  template <class Chunk>
  ONEFOLD_KERNEL bool is_below(const Chunk& c) const {
    return c.top < (anchor & A::fields);
  }
  template <class Chunk>
  ONEFOLD_KERNEL bool is_quick(const DigitUnit<T>& seen, const Chunk& c) const {
    const uint32_t from = (anchor & A::fields) + seen.spare;
    return D::exact ? from == A::lowest : c.key >= from - below_anchor(D::few);
  }
  // Adds such a chunk. With all digits, it need only be below the anchor.
  template <class Chunk>
  ONEFOLD_KERNEL void add_quick(const DigitUnit<T>& seen, const Chunk& c) {
    add_digits<D::few>((anchor & A::fields) + seen.spare, c);
  }
  template <class Chunk>
  ONEFOLD_KERNEL void add_slowly(const DigitUnit<T>& seen, const Chunk& c) {
    const uint32_t from = (anchor & A::fields) + seen.spare;
    // From the lowest anchor on, digits hold every number.
    if (from != A::lowest && (D::exact || c.key < from - below_anchor(D::all))) {
      anchor |= A::inexact;
    }
    add_digits<D::all>(from, c);
  }
  // Adds any chunk.
  template <class Chunk>
  ONEFOLD_KERNEL void add(const DigitUnit<T>& seen, const Chunk& c) {
    *this = added(*this, seen, Flat<Chunk::n>(c));
  }
  // Gives an empty sum an anchor for elements up to `top`.
  ONEFOLD_KERNEL void begin(const DigitUnit<T>& seen, uint32_t top) {
    const bool first = (anchor & A::fields) == 0 && top - 1 < A::infinity - 1;
    if (first) anchor |= anchor_of(seen, top, 0);
  }
  // Does the same for a chunk, which may be all zero.
  template <class Chunk>
  ONEFOLD_KERNEL void begin_chunk(const DigitUnit<T>& seen, const Chunk& c) {
    begin(seen, c.top);
    if (c.top == 0 && (anchor & A::fields) == 0) {
      uint32_t all = ~0u;
      ONEFOLD_UNROLL
      for (int e = 0; e < Chunk::n; ++e) all &= c.x(e);
      anchor |= seen.lowest() | A::zeros | (all >> 31 == 0 ? A::positive : 0u);
    }
  }

  ONEFOLD_KERNEL void add(const DigitSum& s) {
    uint32_t a = anchor & A::fields;
    const uint32_t b = s.anchor & A::fields, kept = (anchor | s.anchor) & A::flags;
    V more = s.v;
    bool lost = false;
    if (a != b) {
      if (a < b) {
        lost = shift(v, (b - a) / A::one);
        a = b;
      } else {
        lost = shift(more, (a - b) / A::one);
      }
    }
    v += more;
    anchor = a | kept | (lost ? A::inexact : 0u);
  }
  template <class F>
  ONEFOLD_KERNEL void zip(const DigitSum& o, F f) {
    zip_whole(v, o.v, f);
    f(anchor, o.anchor);
  }

 private:
  template <int size>
  struct Flat {
    static constexpr int n = size;
    uint32_t bits[n], top, key;
    template <class Chunk>
    ONEFOLD_KERNEL explicit Flat(const Chunk& c) : top(c.top), key(c.key) {
      ONEFOLD_UNROLL
      for (int e = 0; e < n; ++e) bits[e] = c.x(e);
    }
    ONEFOLD_KERNEL uint32_t x(int e) const { return bits[e]; }
  };
  // Not inlined: a kernel's loops seldom call it.
  template <class Chunk>
  ONEFOLD_KERNEL_COLD static DigitSum added(DigitSum sum, DigitUnit<T> seen, Chunk c) {
    sum.begin_chunk(seen, c);
    if (sum.is_below(c) || sum.take_new(seen, c)) sum.add_slowly(seen, c);
    return sum;
  }
  // Divides by 2^n, rounding down; returns whether bits are lost.
  ONEFOLD_KERNEL static bool shift(V& of, uint32_t n) {
    constexpr uint32_t most = 8 * sizeof(V) - 1;
    const uint32_t by = n < most ? n : most;
    const V less = of >> by;
    using Bits = Either<D::wide, Uint128, uint64_t>;
    const bool lost = static_cast<Bits>(less) << by != static_cast<Bits>(of);
    of = less;
    return lost;
  }
  // Returns how far keys may be below an anchor if so many digits are to hold the elements exactly.
  ONEFOLD_KERNEL static constexpr uint32_t below_anchor(int digits) {
    return static_cast<uint32_t>(23 * digits - 1 - D::mantissa_bits) * A::one + 1;
  }
  ONEFOLD_KERNEL static uint32_t anchor_of(const DigitUnit<T>& seen, uint32_t top, uint32_t above) {
    const uint32_t a = (top & A::fields) + (1 + above) * A::one,
                   most = a < A::infinity ? a : uint32_t{A::infinity};
    return most > seen.lowest() ? most : seen.lowest();
  }
  // Notes infinities and NaN, or raises the anchor; returns whether digits must be added.
  template <class Chunk>
  ONEFOLD_KERNEL bool take_new(const DigitUnit<T>& seen, const Chunk& c) {
    if (c.top >= A::infinity) {
      ONEFOLD_UNROLL
      for (int e = 0; e < Chunk::n; ++e) {
        const uint32_t x = c.x(e);
        if (x == 0x7f800000u) anchor |= A::above;
        if (x == 0xff800000u) anchor |= A::below;
        if ((x & 0x7fffffffu) > 0x7f800000u) anchor |= A::nan;
      }
      return false;
    }
    const uint32_t a = anchor_of(seen, c.top, 1), before = anchor & A::fields;
    const bool lost = shift(v, (a - before) / A::one);
    anchor = a | (anchor & A::flags) | (lost ? A::inexact : 0u);
    return true;
  }
  // Adds the first `digits` digits of each element.
  template <int digits, class Chunk>
  ONEFOLD_KERNEL void add_digits(uint32_t a, const Chunk& c) {
    constexpr int n = Chunk::n;
    static_assert(n <= 256);
    uint32_t magic[digits], sum[digits] = {};
    ONEFOLD_UNROLL
    for (int i = 0; i < digits; ++i) magic[i] = A::magic(a, i);
    ONEFOLD_UNROLL
    for (int e = 0; e < n; ++e) {
      float rest = bit_cast<float>(c.x(e));
      ONEFOLD_UNROLL
      for (int i = 0; i < digits; ++i) {
        const float m = bit_cast<float>(magic[i]);
        const float t = i == 0 ? fused(rest, 0x1p-32f, m) : rest + m;
        sum[i] += bit_cast<uint32_t>(t);
        if (i + 1 < digits) rest = i == 0 ? fused(t - m, -0x1p32f, rest) : rest - (t - m);
      }
    }
    ONEFOLD_UNROLL
    for (int i = 0; i < digits; ++i) {
      const auto s = static_cast<int32_t>(sum[i] - n * magic[i]);
      v += static_cast<V>(s) * (V{1} << 23 * (D::all - 1 - i));
    }
  }
};

// Adds a chunk to each of a lane's answers, with one branch for all of them.
template <class All, class Context, class M, class Chunk, int count>
ONEFOLD_KERNEL void add_chunks(M m, All (&total)[count], const Context& seen,
                               const Chunk (&chunk)[count]) {
  bool below = true, quick = true;
  const auto look = [&] {
    ONEFOLD_UNROLL
    for (int k = 0; k < count; ++k) below = total[k].digit_sum.is_below(chunk[k]) && below;
  };
  look();
  if (!m.branch(below)) {
    ONEFOLD_UNROLL
    for (int k = 0; k < count; ++k) total[k].digit_sum.begin_chunk(seen, chunk[k]);
    below = true;
    look();
  }
  ONEFOLD_UNROLL
  for (int k = 0; k < count; ++k) quick = total[k].digit_sum.is_quick(seen, chunk[k]) && quick;
  if (!m.branch(below)) {
    ONEFOLD_UNROLL
    for (int k = 0; k < count; ++k) total[k].digit_sum.add(seen, chunk[k]);
  } else if (m.branch(quick)) {
    ONEFOLD_UNROLL
    for (int k = 0; k < count; ++k) total[k].digit_sum.add_quick(seen, chunk[k]);
  } else {
    ONEFOLD_UNROLL
    for (int k = 0; k < count; ++k) total[k].digit_sum.add_slowly(seen, chunk[k]);
  }
}

}  // namespace onefold::kernel
