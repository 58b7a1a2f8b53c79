// Reads and writes the parts of a saved state: docs/format.md.
#pragma once

#include "onefold/core/base.hpp"

namespace onefold::detail {

// CRC-32 as in zlib.
ONEFOLD_FN constexpr uint32_t crc32_of_bytes(const unsigned char* p, Size n) {
  uint32_t crc = 0xffffffffu;
  for (Size i = 0; i < n; ++i) {
    crc ^= p[i];
    for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

ONEFOLD_FN constexpr Size length_of(const char* text) {
  Size n = 0;
  while (text[n] != 0) ++n;
  return n;
}

// Writes numbers and texts, one behind the other.
struct ByteWriter {
  unsigned char* to;
  ONEFOLD_FN constexpr void number(uint64_t v, int bytes = 8) {
    for (int k = 0; k < bytes; ++k) *to++ = static_cast<unsigned char>((v >> (8 * k)) & 0xff);
  }
  ONEFOLD_FN constexpr void raw(const char* text, Size n) {
    for (Size k = 0; k < n; ++k) *to++ = static_cast<unsigned char>(text[k]);
  }
  ONEFOLD_FN constexpr void text(const char* t) {
    number(length_of(t));
    raw(t, length_of(t));
  }
};

// Reads them from bytes that are as many as all reads need.
struct ByteReader {
  const unsigned char* from;
  bool same = true;  // all that was expected was there
  ONEFOLD_FN constexpr uint64_t number(int bytes = 8) {
    uint64_t v = 0;
    for (int k = 0; k < bytes; ++k) v |= uint64_t{*from++} << (8 * k);
    return v;
  }
  ONEFOLD_FN constexpr void expect(uint64_t v) { same = number() == v && same; }
  ONEFOLD_FN constexpr void expect_raw(const char* text, Size n) {
    for (Size k = 0; k < n; ++k) same = *from++ == static_cast<unsigned char>(text[k]) && same;
  }
  ONEFOLD_FN constexpr void expect_text(const char* t) {
    expect(length_of(t));
    expect_raw(t, length_of(t));
  }
};

}  // namespace onefold::detail
