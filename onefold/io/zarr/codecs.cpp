#include "onefold/io/zarr/codecs.hpp"

#include <array>
#include <cstdint>
#include <cstring>

#include "onefold/io/codec.hpp"

namespace onefold::io::zarr {
namespace {

// libblosc, whose functions are declared as blosc.h of 1.21 has them.
struct Blosc {
  void (*sizes)(const void*, std::size_t*, std::size_t*, std::size_t*) = nullptr;
  int (*decompress)(const void*, void*, std::size_t, int) = nullptr;
  std::string why;

  Blosc() {
    try {
      const SharedLibrary library("libblosc.so.1");
      library.find(sizes, "blosc_cbuffer_sizes");
      library.find(decompress, "blosc_decompress_ctx");
    } catch (const std::string& missing) {
      why = missing + "; install libblosc1";
    }
  }
};

const Blosc& the_blosc() {
  static const Blosc instance;
  return instance;
}

std::vector<std::byte> by_blosc(const std::vector<std::byte>& bytes, std::size_t most) {
  const Blosc& blosc = the_blosc();
  if (!blosc.why.empty()) throw blosc.why;
  constexpr std::size_t header = 16;
  std::size_t made = 0, packed = 0, block = 0;
  if (bytes.size() >= header) blosc.sizes(bytes.data(), &made, &packed, &block);
  if (bytes.size() < header || packed != bytes.size()) throw std::string("it is cut short");
  // The library needs room for two more blocks, as its documentation says.
  if (made > most || block > most) throw std::string("it unpacks to more bytes than expected");
  std::vector<std::byte> out(made);
  constexpr int threads = 1;
  const int n = blosc.decompress(bytes.data(), out.data(), out.size(), threads);
  if (n < 0 || static_cast<std::size_t>(n) != made) throw std::string("its data are damaged");
  return out;
}

// Castagnoli's polynomial, with its bits reversed.
constexpr std::array<uint32_t, 256> crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t k = 0; k < 256; ++k) {
    uint32_t c = k;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? c >> 1 ^ 0x82f63b78 : c >> 1;
    table[k] = c;
  }
  return table;
}

std::vector<std::byte> by_crc32c(std::vector<std::byte> bytes) {
  static constexpr std::array<uint32_t, 256> table = crc_table();
  if (bytes.size() < 4) throw std::string("it is cut short");
  uint32_t crc = ~uint32_t{0}, stored = 0;
  std::memcpy(&stored, bytes.data() + bytes.size() - 4, 4);
  bytes.resize(bytes.size() - 4);
  for (const std::byte b : bytes) crc = table[(crc ^ static_cast<uint32_t>(b)) & 255] ^ crc >> 8;
  if (~crc != stored) throw std::string("its checksum is wrong");
  return bytes;
}

}  // namespace

std::vector<std::byte> unpacked(const std::string& codec, std::vector<std::byte> bytes,
                                std::size_t most) {
  if (codec == "blosc") return by_blosc(bytes, most);
  if (codec == "crc32c") return by_crc32c(std::move(bytes));
  constexpr struct {
    std::string_view name, extension;
  } of_files[] = {{"gzip", ".gz"}, {"zstd", ".zst"}, {"bz2", ".bz2"}, {"lzma", ".xz"}};
  for (const auto& known : of_files) {
    if (codec != known.name) continue;
    const Codec* const found = find_codec_by_name("x" + std::string(known.extension));
    if (found == nullptr || found->open == nullptr) throw "this build has no " + codec;
    try {
      found->open();
    } catch (const std::string& missing) {
      throw missing + "; install " + found->package;
    }
    return unpack_all(found->open, bytes, most);
  }
  return unpack_all(open_zlib(), bytes, most);
}

std::string why_no_blosc() { return the_blosc().why; }

}  // namespace onefold::io::zarr
