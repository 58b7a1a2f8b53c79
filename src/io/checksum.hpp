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
  //   expected  of all `bytes` bytes
  Checksum(uint32_t expected, uint64_t bytes) : expected_(expected), bytes_(bytes) {}

  // A piece that was read. From any thread.
  void add(uint64_t offset, const void* bytes, std::size_t n);

  enum class Verdict : uint8_t { right, wrong, unknown };
  // Reads what no piece had, if that is little: headers, and pieces of less than `least_piece`.
  // Unknown: it is more.
  using Read = std::function<void(uint64_t offset, void* to, std::size_t n)>;
  Verdict verdict(const Read& read);

 private:
  // Threads read 32 KiB at a time at least; runs of strips may be shorter, and too many to be kept.
  static constexpr std::size_t least_piece = std::size_t{16} << 10;
  static constexpr uint64_t most_missing = uint64_t{1} << 20;
  struct Piece {
    uint64_t offset, bytes;
    uint32_t crc;
  };
  uint32_t expected_;
  uint64_t bytes_;
  std::mutex mutex_;
  std::vector<Piece> pieces_;
};

}  // namespace onefold::io
