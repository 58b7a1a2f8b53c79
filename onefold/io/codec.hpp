// Compressed files, and texts in UTF-16. Each codec is a file of codec/, which defines `const Codec
// codec::<stem>`.
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

#include "onefold/system/jit/loaded.hpp"

namespace onefold::io {

// Unpacks one stream, in pieces.
class Unpacker {
 public:
  virtual ~Unpacker() = default;
  struct Step {
    std::size_t used = 0, made = 0;
    bool ended = false;  // one member of the file has ended; a new Unpacker takes the next
  };
  // Reads some of `in` and writes some of `out`. If `in` is empty, no more input follows.
  //   throws  std::string: what is wrong with the data
  virtual Step step(std::span<const std::byte> in, std::span<std::byte> out) = 0;
};

struct Codec {
  const char* name;
  std::span<const std::string_view> extensions;  // with their dots
  std::span<const std::string_view> magic;       // a file begins with one of them
  const char* package;                           // the package that has the library
  // throws  std::string: why the library cannot be loaded. Null: this build has no such codec.
  std::unique_ptr<Unpacker> (*open)();
  bool (*begins)(std::string_view head) = nullptr;  // takes the place of `magic`

  // Whether it converts a text, which may itself be compressed.
  bool converts() const { return extensions.empty(); }
};

std::span<const Codec* const> codecs();
// Returns why a codec cannot be used here, and what to install; empty: it can.
std::string why_not(const Codec& codec);

// Unpacks zlib's own frame, which some containers use; null: this build cannot.
using OpenUnpacker = std::unique_ptr<Unpacker> (*)();
OpenUnpacker open_zlib();

// Unpacks all of `bytes`, which may have several members.
//   throws  std::string: damaged, cut short, or more than `most` bytes; no library
std::vector<std::byte> unpack_all(OpenUnpacker open, std::span<const std::byte> bytes,
                                  std::size_t most);

// Finds a file's codec by name, otherwise by its first bytes; null: it is not compressed.
const Codec* find_codec_by_name(std::string_view path);
const Codec* find_codec_by_magic(std::string_view head);
// Returns a path without the codec's extension: "x.csv" for "x.csv.gz".
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
  jit::LibraryHandle loaded_;
};

}  // namespace onefold::io
