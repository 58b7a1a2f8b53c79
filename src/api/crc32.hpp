// CRC-32 (ISO-HDLC, as in zlib and PNG), 16 bytes at a time.
#pragma once

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

}  // namespace detail

inline uint32_t crc32(std::span<const std::byte> bytes) {
  static constexpr auto table = detail::crc_tables();
  uint32_t crc = ~0u;
  const std::byte* p = bytes.data();
  std::size_t n = bytes.size();
  for (; n >= 16; n -= 16, p += 16) {
    uint64_t two[2];
    std::memcpy(two, p, 16);  // little-endian
    two[0] ^= crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      crc ^= table[15 - k][two[0] >> 8 * k & 0xff] ^ table[7 - k][two[1] >> 8 * k & 0xff];
    }
  }
  for (; n > 0; --n, ++p) crc = crc >> 8 ^ table[0][(crc ^ static_cast<uint32_t>(*p)) & 0xff];
  return ~crc;
}

}  // namespace onefold
