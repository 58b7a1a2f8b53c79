// The CRC-32 of bytes that are read in pieces, in any order and on several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace onefold::io {

class Checksum {
 public:
  //   expected  the CRC of all `bytes` bytes
  Checksum(uint32_t expected, uint64_t bytes) : expected_(expected), bytes_(bytes) {}

  // Adds a piece that was read. Any thread may call it.
  void add(uint64_t offset, const void* bytes, std::size_t n);

  enum class Match : uint8_t { right, wrong, unknown };
  // Reads bytes that no piece had (headers, and pieces shorter than `least_piece`) if they are few.
  // If they are many, the result is `unknown`.
  using Read = std::function<void(uint64_t offset, void* to, std::size_t n)>;
  Match compare(const Read& read);

 private:
  // Threads read at least 32 KiB at a time. Runs of strips may be shorter, and too many to be kept.
  static constexpr std::size_t least_piece = std::size_t{16} << 10;
  static constexpr uint64_t most_missing = uint64_t{1} << 20;
  struct ReadRange {
    uint64_t offset, bytes;
    uint32_t crc;
  };
  uint32_t expected_;
  uint64_t bytes_;
  std::mutex mutex_;
  std::vector<ReadRange> pieces_;
};

}  // namespace onefold::io
