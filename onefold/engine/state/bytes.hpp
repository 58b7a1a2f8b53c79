// Writes and reads numbers and names as bytes, for saved states.
//
//   numbers  little-endian, of 64 bits; names with their length before them
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "onefold/engine/crc32.hpp"
#include "onefold/engine/state/state.hpp"

namespace onefold {

[[noreturn]] inline void bad_bytes(const std::string& why) {
  throw Error(ErrorCode::bad_state, "load: " + why);
}

struct Writer {
  std::vector<std::byte> bytes;
  void raw(const void* p, std::size_t n) {
    const auto* b = static_cast<const std::byte*>(p);
    bytes.insert(bytes.end(), b, b + n);
  }
  void number(uint64_t v) { raw(&v, sizeof v); }
  void text(std::string_view s) {
    number(s.size());
    raw(s.data(), s.size());
  }
  void shape(const Dims& extents) {
    number(static_cast<uint64_t>(extents.rank()));
    for (const int64_t extent : extents) number(static_cast<uint64_t>(extent));
  }
  // Returns all bytes, and their checksum at the end.
  std::vector<std::byte> finished() {
    const uint32_t crc = crc32_of(bytes.data(), bytes.size());
    raw(&crc, sizeof crc);
    return std::move(bytes);
  }
};

// Names what bytes are whose beginning says so ("states of groups"); else returns null.
inline const char* kind_of_bytes(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("1folds")) return "states of many slices";
  if (text.starts_with("1foldby")) return "states of groups";
  if (text.starts_with("1foldle")) return "states of logsumexp";
  if (text.starts_with("1fold")) return "a state";
  return nullptr;
}

struct Reader {
  std::span<const std::byte> bytes;

  // Reads bytes that a Writer wrote and that begin with `magic`.
  //   what    how a message calls the bytes: "a state"
  //   throws  bad_state: the bytes have another format, or are damaged
  Reader(std::span<const std::byte> all, std::string_view magic, const char* what) : bytes(all) {
    if (all.size() < magic.size() + 4 || std::memcmp(all.data(), magic.data(), magic.size()) != 0) {
      const char* const kind = kind_of_bytes(all);
      const bool other = kind != nullptr && std::string_view(kind) != what;
      bad_bytes(other ? std::string("these bytes are ") + kind + ", not " + what
                      : std::string("these bytes are not ") + what + " saved by this version");
    }
    uint32_t crc = 0;
    std::memcpy(&crc, all.data() + all.size() - 4, 4);
    const auto body = all.first(all.size() - 4);
    if (crc32_of(body.data(), body.size()) != crc)
      bad_bytes("the checksum is wrong; the bytes are damaged");
    bytes = body.subspan(magic.size());
  }
  void raw(void* p, std::size_t n) {
    if (n > bytes.size()) bad_bytes("the bytes end early; pass the whole saved state");
    if (n > 0) std::memcpy(p, bytes.data(), n);
    bytes = bytes.subspan(n);
  }
  uint64_t number() {
    uint64_t v = 0;
    raw(&v, sizeof v);
    return v;
  }
  std::string text() {
    const uint64_t n = number();
    if (n > 64) bad_bytes("a name is too long");
    std::string s(n, ' ');
    raw(s.data(), n);
    return s;
  }
  // Reads a shape, and how many slices it has.
  Dims shape(Size& slices) {
    const uint64_t rank = number();
    if (rank > max_rank) bad_bytes("there are too many dimensions");
    Dims extents;
    slices = 1;
    for (uint64_t d = 0; d < rank; ++d) {
      const uint64_t extent = number();
      if (extent > static_cast<uint64_t>(int64_max) ||
          (extent > 0 && slices > static_cast<Size>(int64_max) / extent)) {
        bad_bytes("there are too many slices");
      }
      extents.push_back(static_cast<int64_t>(extent));
      slices *= extent;
    }
    return extents;
  }
  // Reads a count of things of so many bytes each; refuses more than the remaining bytes can hold.
  uint64_t number_of(std::size_t bytes_each) {
    const uint64_t n = number();
    if (n > bytes.size() / bytes_each) {
      bad_bytes("the bytes end early; pass the whole saved state");
    }
    return n;
  }
};

// Writes and reads the kind of a state: type, policy, whether indices are kept, and index ranges.
void write_kind(Writer& w, const State::Impl& state);
void read_kind(Reader& r, State::Impl& state);
Accumulator accumulator_called(const std::string& name);
DType dtype_called(const std::string& name);
NanPolicy policy_called(const std::string& name);

}  // namespace onefold
