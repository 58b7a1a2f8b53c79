// A codec for a library whose streams have next_in, avail_in, next_out and avail_out, as zlib,
// libbz2 and liblzma have. A file of codec/ defines a `Library`:
//
//   Stream        the library's stream, not yet opened
//   Library()     finds the functions. throws std::string
//   open, close   open or close a Stream
//   run           continues; true: the member has ended. throws std::string: what is wrong
#pragma once

#include <algorithm>
#include <climits>

#include "onefold/io/codec.hpp"

namespace onefold::io {

template <class Library>
class StreamUnpacker : public Unpacker {
 public:
  StreamUnpacker() { library().open(stream_); }
  ~StreamUnpacker() override { library().close(stream_); }
  StreamUnpacker(const StreamUnpacker&) = delete;
  StreamUnpacker& operator=(const StreamUnpacker&) = delete;

  Step step(std::span<const std::byte> in, std::span<std::byte> out) override {
    // Some libraries count in 32 bits.
    const std::size_t most_in = std::min<std::size_t>(in.size(), INT_MAX);
    const std::size_t most_out = std::min<std::size_t>(out.size(), INT_MAX);
    set(stream_.next_in, in.data());
    set(stream_.next_out, out.data());
    stream_.avail_in = static_cast<decltype(stream_.avail_in)>(most_in);
    stream_.avail_out = static_cast<decltype(stream_.avail_out)>(most_out);
    const bool ended = library().run(stream_);
    return {most_in - stream_.avail_in, most_out - stream_.avail_out, ended};
  }

  // Loads the library when a file first needs it.
  static const Library& library() {
    static const Library library;
    return library;
  }

 private:
  template <class P>
  static void set(P& to, const std::byte* from) {
    to = reinterpret_cast<P>(const_cast<std::byte*>(from));
  }
  typename Library::Stream stream_{};
};

template <class Library>
std::unique_ptr<Unpacker> open_stream() {
  return std::make_unique<StreamUnpacker<Library>>();
}

}  // namespace onefold::io
