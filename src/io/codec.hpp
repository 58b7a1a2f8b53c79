// Compressed files, and texts in UTF-16: one file each in codec/, which defines
// `const Codec codec::<stem>`.
//
// A codec calls a library, which is loaded when a file first needs it. The program works without
// these libraries; if a file needs a missing one, the error names the package. A build without a
// library's header lacks that codec, and its error says so.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jit/loaded.hpp"

namespace onefold::io {

// Unpacks one stream, in pieces.
class Unpacker {
 public:
  virtual ~Unpacker() = default;
  struct Step {
    std::size_t used = 0, made = 0;
    bool ended = false;  // a member of the file; the next begins with a new Unpacker
  };
  // Takes some of `in` and makes some of `out`; no more input if it is empty.
  //   throws  std::string: what is wrong with the data
  virtual Step step(std::span<const std::byte> in, std::span<std::byte> out) = 0;
};

struct Codec {
  const char* name;
  std::span<const std::string_view> extensions;  // with their dots
  std::span<const std::string_view> magic;       // a file begins with one of them
  const char* package;                           // what to install where the library is missing
  // throws  std::string: why the library cannot be loaded; null: this build has no such codec
  std::unique_ptr<Unpacker> (*open)();
};

std::span<const Codec* const> codecs();
// Why it cannot be used here, and what to install; empty: it can.
std::string why_not(const Codec& codec);

// zlib's own frame, which containers have inside; null: this build has none.
using OpenUnpacker = std::unique_ptr<Unpacker> (*)();
OpenUnpacker open_zlib();

// All that `bytes` hold, in members one after another.
//   throws  std::string: damaged, cut short, or more than `most` bytes; no library
std::vector<std::byte> unpack_all(OpenUnpacker open, std::span<const std::byte> bytes,
                                  std::size_t most);

// The codec of a file by its name, else by how it begins; null: it is not compressed.
const Codec* find_codec_by_name(std::string_view path);
const Codec* find_codec_by_magic(std::string_view head);
// A path without the codec's extension: "x.csv" of "x.csv.gz".
std::string without_codec(const std::string& path);

// The functions of a shared library. throws std::string: the library or a function is missing
class SharedLibrary {
 public:
  explicit SharedLibrary(const std::string& name);
  template <class F>
  void find(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(address(name));
  }

 private:
  void* address(const char* name) const;
  jit::Loaded loaded_;
};

}  // namespace onefold::io
