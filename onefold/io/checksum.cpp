#include "onefold/io/checksum.hpp"

#include <algorithm>

#include "onefold/engine/crc32.hpp"

namespace onefold::io {

void Checksum::add(uint64_t offset, const void* bytes, std::size_t n) {
  if (n < least_piece) return;
  const uint32_t crc = crc32_of(bytes, n);
  const std::lock_guard lock(mutex_);
  pieces_.push_back({offset, n, crc});
}

Checksum::Match Checksum::compare(const Read& read) {
  const std::lock_guard lock(mutex_);
  std::sort(pieces_.begin(), pieces_.end(), [](const ReadRange& a, const ReadRange& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.bytes > b.bytes;
  });
  uint64_t at = 0, missing = 0;
  uint32_t crc = 0;
  const auto fill = [&](uint64_t to) {
    missing += to - at;
    if (missing > most_missing) return false;
    std::vector<std::byte> bytes(static_cast<std::size_t>(to - at));
    read(at, bytes.data(), bytes.size());
    crc = crc32_of(bytes.data(), bytes.size(), crc);
    at = to;
    return true;
  };
  for (const ReadRange& p : pieces_) {
    const uint64_t end = p.offset + p.bytes;
    if (end <= at) continue;  // these bytes were read twice
    // A piece that begins within another one: the CRC of only its new bytes is not known.
    if (p.offset != at && !fill(p.offset < at ? end : p.offset)) return Match::unknown;
    if (p.offset != at) continue;
    crc = crc32_of_both(crc, p.crc, p.bytes);
    at = end;
  }
  if (at < bytes_ && !fill(bytes_)) return Match::unknown;
  return crc == expected_ ? Match::right : Match::wrong;
}

}  // namespace onefold::io
