// CRC-32 (ISO-HDLC, as in zlib and PNG), eight bytes at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace onefold {
namespace detail {

// Table k: what a byte does to the remainder once k more bytes of 0 have followed.
constexpr std::array<std::array<uint32_t, 256>, 8> crc_tables() {
  std::array<std::array<uint32_t, 256>, 8> table{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
    table[0][b] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
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
  for (; n >= 8; n -= 8, p += 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, p, 8);  // little-endian
    eight ^= crc;
    const auto at = [&](std::size_t k) { return table[7 - k][eight >> 8 * k & 0xff]; };
    crc = at(0) ^ at(1) ^ at(2) ^ at(3) ^ at(4) ^ at(5) ^ at(6) ^ at(7);
  }
  for (; n > 0; --n, ++p) crc = crc >> 8 ^ table[0][(crc ^ static_cast<uint32_t>(*p)) & 0xff];
  return ~crc;
}

}  // namespace onefold
