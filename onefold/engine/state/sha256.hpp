// SHA-256 of bytes, so that two sites can compare a digest instead of states.
//
//   source  FIPS 180-4, 4.1.2 (functions), 5.1.1 (padding), 6.2 (rounds)
//   tested  with NIST's examples, and with Python's hashlib on the states of python/tests
//   own     none of the linked libraries has a hash function
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace onefold {
namespace detail {

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
inline constexpr std::array<uint32_t, 64> sha256_round = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

inline void sha256_block(std::array<uint32_t, 8>& hash, const std::byte* block) {
  uint32_t w[64];
  for (int t = 0; t < 16; ++t) {
    w[t] = 0;
    for (int k = 0; k < 4; ++k) w[t] = w[t] << 8 | std::to_integer<uint32_t>(block[4 * t + k]);
  }
  for (int t = 16; t < 64; ++t) {
    const uint32_t a = w[t - 15], b = w[t - 2];
    w[t] = w[t - 16] + w[t - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t t = 0; t < 64; ++t) {
    const uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                         ((e & f) ^ (~e & g)) + sha256_round[t] + w[t];
    const uint32_t two =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
  }
  const uint32_t more[] = {a, b, c, d, e, f, g, h};
  for (std::size_t k = 0; k < 8; ++k) hash[k] += more[k];
}

}  // namespace detail

// Returns the digest as 64 hexadecimal digits.
inline std::string sha256_text(std::span<const std::byte> bytes) {
  std::array<uint32_t, 8> hash = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::size_t whole = bytes.size() / 64 * 64;
  for (std::size_t k = 0; k < whole; k += 64) detail::sha256_block(hash, &bytes[k]);
  // The last block: remaining bytes, one bit that is set, zeros, and the number of bits.
  const std::size_t rest = bytes.size() - whole;
  std::vector<std::byte> last(rest < 56 ? 64 : 128);
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(whole), bytes.end(), last.begin());
  last[rest] = std::byte{0x80};
  for (std::size_t k = 0; k < 8; ++k) {
    last[last.size() - 1 - k] = static_cast<std::byte>(uint64_t{bytes.size()} * 8 >> 8 * k);
  }
  for (std::size_t k = 0; k < last.size(); k += 64) detail::sha256_block(hash, &last[k]);
  std::string text;
  for (const uint32_t word : hash) {
    for (int k = 28; k >= 0; k -= 4) text += "0123456789abcdef"[word >> k & 15];
  }
  return text;
}

}  // namespace onefold
