// CRC-32 (ISO-HDLC, as in zlib and PNG): 64 bytes at a time where the processor multiplies without
// carries, else 16.
//
//   source   Gopal and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ"
//            (Intel, 2009): blocks are folded onto those behind them; the last is read by tables
#pragma once

#include <wmmintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace onefold {
namespace detail {

// Table k: what a byte does to the remainder once k more bytes of 0 have followed.
constexpr std::array<std::array<uint32_t, 256>, 16> crc_tables() {
  std::array<std::array<uint32_t, 256>, 16> table{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
    table[0][b] = crc;
  }
  for (std::size_t k = 1; k < 16; ++k) {
    for (std::size_t b = 0; b < 256; ++b) {
      table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 0xff];
    }
  }
  return table;
}

// What 16 bytes make of the remainder.
inline uint32_t crc_of(const uint64_t (&two)[2]) {
  static constexpr auto table = crc_tables();
  uint32_t crc = 0;
  for (std::size_t k = 0; k < 8; ++k) {
    crc ^= table[15 - k][two[0] >> 8 * k & 0xff] ^ table[7 - k][two[1] >> 8 * k & 0xff];
  }
  return crc;
}

// Folds all whole blocks of 16 bytes, of which there are 4 or more, onto one that has the same
// remainder. Factors are x^(512 + 32), x^(512 - 32), x^(128 + 32) and x^(128 - 32) modulo the
// polynomial, bits reversed.
__attribute__((target("pclmul"))) inline void fold_blocks(const std::byte*& p, std::size_t& n,
                                                          uint32_t crc, uint64_t (&two)[2]) {
  const __m128i far = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
  const __m128i near = _mm_set_epi64x(0xccaa009e, 0x1751997d0);
  const auto* from = reinterpret_cast<const __m128i*>(p);
  __m128i x[4];
  for (int k = 0; k < 4; ++k) x[k] = _mm_loadu_si128(from + k);
  x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128(static_cast<int>(crc)));
  for (n -= 64, from += 4; n >= 64; n -= 64, from += 4) {
    for (int k = 0; k < 4; ++k) {
      const __m128i low = _mm_clmulepi64_si128(x[k], far, 0x00);
      const __m128i high = _mm_clmulepi64_si128(x[k], far, 0x11);
      x[k] = _mm_xor_si128(_mm_xor_si128(low, high), _mm_loadu_si128(from + k));
    }
  }
  __m128i all = x[0];
  for (int k = 1; k < 4 || n >= 16; ++k) {
    const __m128i low = _mm_clmulepi64_si128(all, near, 0x00);
    const __m128i high = _mm_clmulepi64_si128(all, near, 0x11);
    const bool block = k < 4;
    all = _mm_xor_si128(_mm_xor_si128(low, high), block ? x[k] : _mm_loadu_si128(from));
    if (!block) ++from, n -= 16;
  }
  _mm_storeu_si128(reinterpret_cast<__m128i*>(two), all);
  p = reinterpret_cast<const std::byte*>(from);
}

}  // namespace detail

inline uint32_t crc32(std::span<const std::byte> bytes) {
  static constexpr auto table = detail::crc_tables()[0];
  uint32_t crc = ~0u;
  const std::byte* p = bytes.data();
  std::size_t n = bytes.size();
  uint64_t two[2];
  if (n >= 64 && __builtin_cpu_supports("pclmul")) {
    detail::fold_blocks(p, n, crc, two);
    crc = detail::crc_of(two);
  }
  for (; n >= 16; n -= 16, p += 16) {
    std::memcpy(two, p, 16);  // little-endian
    two[0] ^= crc;
    crc = detail::crc_of(two);
  }
  for (; n > 0; --n, ++p) crc = crc >> 8 ^ table[(crc ^ static_cast<uint32_t>(*p)) & 0xff];
  return ~crc;
}

}  // namespace onefold
