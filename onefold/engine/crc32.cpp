#include "onefold/engine/crc32.hpp"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "onefold/system/made_once.hpp"

namespace onefold {
namespace {

constexpr uint32_t polynomial = 0xedb88320;  // with the highest power in bit 0, like all
                                             // polynomials here

// Here and below, CRCs are without the inversions at the beginning and the end.

// Entry k, b: the remainder of byte b followed by k bytes of 0.
constexpr std::array<std::array<uint32_t, 256>, 16> crc_tables() {
  std::array<std::array<uint32_t, 256>, 16> table{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ ((crc & 1) != 0 ? polynomial : 0);
    table[0][b] = crc;
  }
  for (std::size_t k = 1; k < 16; ++k) {
    for (std::size_t b = 0; b < 256; ++b) {
      table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 0xff];
    }
  }
  return table;
}

// Returns the remainder after 16 more bytes.
uint32_t crc_of(const uint64_t (&two)[2]) {
  static constexpr auto table = crc_tables();
  uint32_t crc = 0;
  for (std::size_t k = 0; k < 8; ++k) {
    crc ^= table[15 - k][two[0] >> 8 * k & 0xff] ^ table[7 - k][two[1] >> 8 * k & 0xff];
  }
  return crc;
}

#if defined(__x86_64__)
bool multiplies() {
  static constinit MadeOnce<bool> known;
  return known.get([] {
    return __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.1") != 0;
  });
}

[[gnu::target("pclmul,sse4.1")]] inline __m128i load(const std::byte* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}

// Returns x times powers of the polynomial's variable, plus the bytes that follow at that distance.
[[gnu::target("pclmul,sse4.1")]] inline __m128i fold(__m128i x, __m128i powers, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(x, powers, 0x00);
  const __m128i high = _mm_clmulepi64_si128(x, powers, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// n is a multiple of 16, and at least 64. The constants, from the source, are x^(512 + 32), x^(512
// - 32), x^(128 + 32), x^(128 - 32), x^64, and Barrett's quotient.
[[gnu::target("pclmul,sse4.1")]] uint32_t by_multiplying(const std::byte* p, std::size_t n,
                                                         uint32_t crc) {
  const __m128i by_512 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
  const __m128i by_128 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  __m128i a = _mm_xor_si128(load(p), _mm_cvtsi32_si128(static_cast<int>(crc)));
  __m128i b = load(p + 16), c = load(p + 32), d = load(p + 48);
  for (p += 64, n -= 64; n >= 64; p += 64, n -= 64) {
    a = fold(a, by_512, load(p));
    b = fold(b, by_512, load(p + 16));
    c = fold(c, by_512, load(p + 32));
    d = fold(d, by_512, load(p + 48));
  }
  a = fold(fold(fold(a, by_128, b), by_128, c), by_128, d);
  for (; n >= 16; p += 16, n -= 16) a = fold(a, by_128, load(p));
  const __m128i low = _mm_setr_epi32(-1, 0, -1, 0);
  a = _mm_xor_si128(_mm_srli_si128(a, 8), _mm_clmulepi64_si128(a, by_128, 0x10));
  a = _mm_xor_si128(
      _mm_srli_si128(a, 4),
      _mm_clmulepi64_si128(_mm_and_si128(a, low), _mm_set_epi64x(0, 0x0163cd6124), 0x00));
  const __m128i barrett = _mm_set_epi64x(0x01f7011641, 0x01db710641);
  __m128i q = _mm_clmulepi64_si128(_mm_and_si128(a, low), barrett, 0x10);
  q = _mm_clmulepi64_si128(_mm_and_si128(q, low), barrett, 0x00);
  return static_cast<uint32_t>(_mm_extract_epi32(_mm_xor_si128(a, q), 1));
}
#endif

// Returns the product of two polynomials, modulo the CRC's polynomial.
uint32_t product(uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (uint32_t bit = uint32_t{1} << 31; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) sum ^= b;
    b = (b & 1) != 0 ? b >> 1 ^ polynomial : b >> 1;
  }
  return sum;
}

}  // namespace

uint32_t crc32_of(const void* bytes, std::size_t n, uint32_t before) {
  static constexpr auto table = crc_tables()[0];
  const auto* p = static_cast<const std::byte*>(bytes);
  uint32_t crc = ~before;
#if defined(__x86_64__)
  if (n >= 64 && multiplies()) {
    const std::size_t most = n / 16 * 16;
    crc = by_multiplying(p, most, crc);
    p += most;
    n -= most;
  }
#endif
  for (; n >= 16; n -= 16, p += 16) {
    uint64_t two[2];
    std::memcpy(two, p, 16);  // little-endian
    two[0] ^= crc;
    crc = crc_of(two);
  }
  for (; n > 0; --n, ++p) crc = crc >> 8 ^ table[(crc ^ static_cast<uint32_t>(*p)) & 0xff];
  return ~crc;
}

uint32_t crc32_of_both(uint32_t first, uint32_t second, uint64_t n) {
  // Shifts the first CRC by n bytes of zeros: multiplies by x^(8 n), by squaring x^8.
  uint32_t power = uint32_t{1} << (31 - 8);
  for (; n != 0; n >>= 1) {
    if ((n & 1) != 0) first = product(first, power);
    power = product(power, power);
  }
  return first ^ second;
}

}  // namespace onefold
