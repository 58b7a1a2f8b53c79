// Sums of many elements of one array into the limbs of accumulator::sum, in blocks.
//
//   block    256 elements whose exponents lie near each other are added as integers of 64 bits, or
//            f32 as doubles, which compilers vectorise; others limb by limb, without a branch
//   exact    no addition of doubles is ever rounded, so flags such as -ffast-math change nothing
//   figures  bench/results/single.md
#pragma once

#include "onefold/core/accumulator/sum.hpp"
#include "onefold/core/accumulator/tally.hpp"

namespace onefold::detail {

inline constexpr int block = 256, log2_of_block = 8;

template <class T>
inline constexpr uint64_t sign_bit = uint64_t{1} << (8 * sizeof(T) - 1);
// The bits of an infinity; those of a NaN, without their sign, are greater.
template <class T>
inline constexpr uint64_t infinity_bits =
    ((uint64_t{1} << float_format(dtype_of<T>).exponent_bits) - 1)
    << float_format(dtype_of<T>).mantissa_bits;

// A finite floating-point number as (mantissa ^ sign) - sign, times 2^(unit + field - 1).
struct Fields {
  uint64_t mantissa;
  uint64_t field;  // at least 1
  uint64_t sign;   // all bits are set if the number is negative
};
template <class T>
ONEFOLD_FN constexpr Fields fields_of(T x) {
  constexpr FloatFormat f = float_format(dtype_of<T>);
  const uint64_t bits = bit_cast<bits_of<T>>(x);
  const uint64_t field = (bits >> f.mantissa_bits) & ((uint64_t{1} << f.exponent_bits) - 1);
  const uint64_t hidden = field != 0 ? uint64_t{1} << f.mantissa_bits : uint64_t{0};
  return {(bits & ((uint64_t{1} << f.mantissa_bits) - 1)) | hidden, field != 0 ? field : 1,
          0 - (bits >> (8 * sizeof(T) - 1))};
}

// Adds v 2^(unit + position).
ONEFOLD_FN constexpr void deposit_integer(int64_t* limb, int64_t v, int position) {
  const bool negative = v < 0;
  const auto bits = static_cast<uint64_t>(v);
  deposit([&](int k, int64_t digit) { limb[k] += digit; }, negative ? 0 - bits : bits, negative,
          position);
}

#if defined(__GNUC__) && !defined(__CUDACC__)
#define ONEFOLD_APART __attribute__((noinline))
inline void memory_barrier() { __asm__ volatile("" : : : "memory"); }
#else
#define ONEFOLD_APART
#endif
// Keeps a compiler from adding neighbouring words as one vector: its load would wait for the stores
// of the element before (2.5 times slower, g++ 12).
ONEFOLD_FN constexpr void keep_words_apart() {
#if defined(__GNUC__) && !defined(__CUDACC__)
  if (!__builtin_is_constant_evaluated()) memory_barrier();
#endif
}

// Adds (m ^ sign) - sign times 2^(unit + position), m < 2^bits, without a branch.
template <int bits>
ONEFOLD_FN constexpr void deposit_signed(int64_t* limb, uint64_t m, uint64_t sign,
                                         unsigned position) {
  int64_t* const to = limb + position / 32;
  const unsigned shift = position % 32;
  const uint64_t low = (m & 0xffffffffu) << shift, high = ((m >> 32) << shift) + (low >> 32);
  to[0] += static_cast<int64_t>(((low & 0xffffffffu) ^ sign) - sign);
  keep_words_apart();
  to[1] += static_cast<int64_t>(((high & 0xffffffffu) ^ sign) - sign);
  if constexpr (bits + 31 > 64) {
    keep_words_apart();
    to[2] += static_cast<int64_t>(((high >> 32) ^ sign) - sign);
  }
}
// Adds one finite number, or the product of two.
template <class T>
ONEFOLD_FN constexpr void deposit_float(int64_t* limb, T x) {
  const Fields v = fields_of(x);
  deposit_signed<significand_bits<T>>(limb, v.mantissa, v.sign, static_cast<unsigned>(v.field - 1));
}
template <class T>
ONEFOLD_FN constexpr void deposit_product(int64_t* limb, T x, T y) {
  constexpr int bits = 2 * significand_bits<T>;
  const Fields a = fields_of(x), b = fields_of(y);
  const auto position = static_cast<unsigned>(a.field + b.field - 2);
  if constexpr (bits <= 64) {
    deposit_signed<bits>(limb, a.mantissa * b.mantissa, a.sign ^ b.sign, position);
  } else {
    const Uint128 p = static_cast<Uint128>(a.mantissa) * b.mantissa;
    deposit_signed<64>(limb, static_cast<uint64_t>(p), a.sign ^ b.sign, position);
    deposit_signed<bits - 64>(limb + 2, static_cast<uint64_t>(p >> 64), a.sign ^ b.sign, position);
  }
}
// Returns whether x is neither NaN nor an infinity.
template <class T>
ONEFOLD_FN constexpr bool is_finite(T x) {
  if constexpr (Floating<T>) {
    return (bit_cast<bits_of<T>>(x) & (sign_bit<T> - 1)) < infinity_bits<T>;
  } else {
    return true;
  }
}

// The greatest |x| of a block, and a number that is not above any |x| but 0, as upper bits of x.
struct Range {
  int32_t high, low;
};
template <class T>
ONEFOLD_FN constexpr Range range_of(const T* p) {
  constexpr int drop = sizeof(T) == 8 ? 32 : 0;
  constexpr auto most = static_cast<int32_t>((sign_bit<T> - 1) >> drop);
  int32_t high = 0, low = most;
  for (int i = 0; i < block; ++i) {
    const uint64_t bits = bit_cast<bits_of<T>>(p[i]);
    const int32_t upper = static_cast<int32_t>(bits >> drop) & most;
    // A zero becomes `most`.
    const int32_t less = (drop == 0 || static_cast<uint32_t>(bits) == 0 ? upper - 1 : upper) & most;
    high = upper > high ? upper : high;
    low = less < low ? less : low;
  }
  return {high, low};
}

// Adds a block whose fields are at least `lowest`, and at most lowest + 23 (f64), + 31 (f32).
template <class T>
ONEFOLD_FN constexpr void add_as_integers(int64_t* limb, const T* p, int lowest) {
  int64_t low = 0, high = 0;
  for (int i = 0; i < block; ++i) {
    const Fields v = fields_of(p[i]);
    const uint64_t shift = (v.field - static_cast<uint64_t>(lowest)) & 63;  // of 0: its field is 1
    if constexpr (sizeof(T) == 8) {
      low += static_cast<int64_t>((((v.mantissa & 0xffffffffu) << shift) ^ v.sign) - v.sign);
      high += static_cast<int64_t>((((v.mantissa >> 32) << shift) ^ v.sign) - v.sign);
    } else {
      low += static_cast<int64_t>(((v.mantissa << shift) ^ v.sign) - v.sign);
    }
  }
  deposit_integer(limb, low, lowest - 1);
  if (high != 0) deposit_integer(limb, high, lowest - 1 + 32);
}

// Adds a block of f32 or bf16 with normal numbers and zeros only: each sum is a multiple of
// 2^(unit + lowest - 1), below 2^53 of them.
template <class T>
ONEFOLD_FN constexpr void add_as_doubles(int64_t* limb, const T* p, int lowest) {
  double lane[8] = {};
  for (int i = 0; i < block; i += 8) {
    for (int k = 0; k < 8; ++k) {
      if constexpr (sizeof(T) == 4) {
        lane[k] += static_cast<double>(p[i + k]);
      } else {
        lane[k] += static_cast<double>(bit_cast<float>(uint32_t{p[i + k].bits} << 16));
      }
    }
  }
  double all = 0;
  for (int k = 0; k < 8; ++k) all += lane[k];
  const int exponent = 1 - lowest - unit_of<T>;
  const auto scale = bit_cast<double>(static_cast<uint64_t>(1023 + exponent) << 52);
  deposit_integer(limb, static_cast<int64_t>(all * scale), lowest - 1);
}

// Adds a block of any exponents: numbers that begin at the same limb are added first, f64 as a
// digit and what is above it. Returns how many digits a limb got.
template <class T>
ONEFOLD_FN constexpr uint32_t add_by_limb(int64_t* limb, const T* p) {
  constexpr bool wide = sizeof(T) == 8;
  constexpr int bins = (1 << float_format(dtype_of<T>).exponent_bits) / 32;
  int64_t low[bins] = {}, high[bins] = {};
  for (int i = 0; i < block; ++i) {
    const Fields v = fields_of(p[i]);
    const auto position = static_cast<unsigned>(v.field - 1);
    const unsigned k = position / 32, shift = position % 32;
    if constexpr (wide) {
      const uint64_t digit = (v.mantissa & 0xffffffffu) << shift;
      const uint64_t above = ((v.mantissa >> 32) << shift) + (digit >> 32);
      low[k] += static_cast<int64_t>(((digit & 0xffffffffu) ^ v.sign) - v.sign);
      high[k] += static_cast<int64_t>((above ^ v.sign) - v.sign);
    } else {
      high[k] += static_cast<int64_t>(((v.mantissa << shift) ^ v.sign) - v.sign);
    }
  }
  for (int k = 0; k < bins; ++k) {
    if (wide) limb[k] += low[k];
    limb[k + wide] += high[k] & 0xffffffff;
    limb[k + wide + 1] += high[k] >> 32;
  }
  return wide ? block + 2 : 2;
}

// Adds a block of finite elements, of which some are not 0. Returns how many digits a limb got.
template <class T>
ONEFOLD_APART ONEFOLD_FN constexpr uint32_t add_block(int64_t* limb, const T* p, Range r) {
  constexpr FloatFormat f = float_format(dtype_of<T>);
  constexpr int drop = f.mantissa_bits - (sizeof(T) == 8 ? 32 : 0);
  constexpr int left = 53 - log2_of_block - significand_bits<T>;
  const int least = r.low >> drop, lowest = least > 1 ? least : 1;
  const int span = (r.high >> drop) - lowest;
  if constexpr (sizeof(T) == 4 || dtype_of<T> == DType::bf16) {
    if (span <= left && r.low >= 1 << drop) {
      add_as_doubles(limb, p, lowest);
      return 1;
    }
  }
  constexpr int most = 63 - log2_of_block - (sizeof(T) == 8 ? 32 : significand_bits<T>);
  if (span <= most) {
    add_as_integers(limb, p, lowest);
    return 2;
  }
  return add_by_limb(limb, p);
}

// Adds a block of integers.
template <class T>
ONEFOLD_FN constexpr void add_integers(int64_t* limb, const T* p, int n) {
  int64_t low = 0, high = 0;
  for (int i = 0; i < n; ++i) {
    if constexpr (dtype_of<T> == DType::boolean) {
      low += p[i].byte != 0 ? 1 : 0;
    } else if constexpr (sizeof(T) < 8) {
      low += static_cast<int64_t>(p[i]);
    } else {
      low += static_cast<int64_t>(static_cast<uint64_t>(p[i]) & 0xffffffffu);
      high += static_cast<int64_t>(p[i] >> 32);
    }
  }
  deposit_integer(limb, low, 0);
  deposit_integer(limb, high, 32);
}

}  // namespace onefold::detail
