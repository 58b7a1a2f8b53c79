#include "onefold/io/hdf5/filters.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "onefold/io/codec.hpp"

namespace onefold::io::hdf5 {
namespace {

enum Filter : int { deflate = 1, shuffle = 2, fletcher32 = 3, lzf = Filters::lzf };
constexpr std::size_t checksum_bytes = 4;

// Undoes the shuffle filter, which stores first all first bytes of elements, then all second bytes.
std::vector<std::byte> unshuffled(const std::vector<std::byte>& bytes, std::size_t each) {
  const std::size_t n = bytes.size() / each;
  std::vector<std::byte> out = bytes;  // remaining bytes stay at the end
  for (std::size_t b = 0; b < each; ++b) {
    for (std::size_t i = 0; i < n; ++i) out[i * each + b] = bytes[b * n + i];
  }
  return out;
}

// Undoes LZF, as liblzf's lzf_d.c: runs of up to 32 bytes, and copies from up to 8 KiB before.
std::vector<std::byte> unpacked_lzf(const std::vector<std::byte>& bytes, std::size_t most) {
  std::vector<std::byte> out;
  out.reserve(most);
  std::size_t at = 0;
  const auto next = [&] {
    if (at == bytes.size()) throw std::string("it is cut short");
    return static_cast<std::size_t>(bytes[at++]);
  };
  const auto check_room = [&](std::size_t n) {
    if (n > most - out.size()) throw std::string("it unpacks to more bytes than a chunk has");
  };
  while (at < bytes.size()) {
    const std::size_t control = next();
    if (control < 32) {
      const std::size_t n = control + 1;
      if (n > bytes.size() - at) throw std::string("it is cut short");
      check_room(n);
      const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
      out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(n));
      at += n;
      continue;
    }
    const std::size_t n = 2 + (control >> 5 == 7 ? 7 + next() : control >> 5);
    const std::size_t back = ((control & 31) << 8 | next()) + 1;
    if (back > out.size())
      throw std::string("it refers to bytes before its beginning, so it is damaged");
    check_room(n);
    for (std::size_t k = 0; k < n; ++k) out.push_back(out[out.size() - back]);
  }
  return out;
}

// Computes the checksum as H5checksum.c: over words of two bytes, the higher byte first.
uint32_t fletcher_of(const std::vector<std::byte>& bytes, std::size_t n) {
  uint32_t a = 0, b = 0;
  const auto byte = [&](std::size_t i) { return static_cast<uint32_t>(bytes[i]); };
  const auto fold = [](uint32_t& sum) { sum = (sum & 0xffff) + (sum >> 16); };
  constexpr std::size_t most = 360;  // words after which a sum may overflow
  for (std::size_t at = 0; at + 1 < n;) {
    for (std::size_t k = 0; k < most && at + 1 < n; ++k, at += 2) {
      a += byte(at) << 8 | byte(at + 1);
      b += a;
    }
    fold(a);
    fold(b);
  }
  if (n % 2 != 0) {
    a += byte(n - 1) << 8;
    b += a;
    fold(a);
    fold(b);
  }
  fold(a);
  fold(b);
  return b << 16 | a;
}

std::vector<std::byte> verified(std::vector<std::byte> bytes) {
  if (bytes.size() < checksum_bytes) throw std::string("it is cut short");
  const std::size_t n = bytes.size() - checksum_bytes;
  uint32_t stored = 0;
  std::memcpy(&stored, bytes.data() + n, checksum_bytes);
  const uint32_t is = fletcher_of(bytes, n);
  // Version 1.6.2 swapped the bytes of each half.
  const uint32_t turned = (is & 0x00ff00ff) << 8 | (is >> 8 & 0x00ff00ff);
  if (stored != is && stored != turned) throw std::string("its checksum is wrong");
  bytes.resize(n);
  return bytes;
}

}  // namespace

bool Filters::ours() const {
  return !list.empty() && std::all_of(list.begin(), list.end(), [](int f) {
    return f == deflate || f == shuffle || f == fletcher32 || f == lzf;
  });
}

std::vector<std::byte> undone(const Filters& filters, uint32_t skipped,
                              std::vector<std::byte> bytes) {
  for (std::size_t k = filters.list.size(); k-- > 0;) {
    if (k < 32 && (skipped >> k & 1) != 0) continue;
    if (filters.list[k] == fletcher32) bytes = verified(std::move(bytes));
    if (filters.list[k] == shuffle) bytes = unshuffled(bytes, filters.element_bytes);
    const std::size_t most = filters.chunk_bytes + checksum_bytes * k;
    if (filters.list[k] == deflate) bytes = unpack_all(open_zlib(), bytes, most);
    if (filters.list[k] == lzf) bytes = unpacked_lzf(bytes, most);
  }
  if (bytes.size() != filters.chunk_bytes) {
    throw "it holds " + std::to_string(bytes.size()) + " bytes but should hold " +
        std::to_string(filters.chunk_bytes);
  }
  return bytes;
}

}  // namespace onefold::io::hdf5
