// .gz by zlib, which every system has; its checksum is verified.
#include "io/codec.hpp"

#if __has_include(<zlib.h>)
#include <zlib.h>

#include <algorithm>
#include <climits>
#endif

namespace onefold::io {
namespace {

#if __has_include(<zlib.h>)
struct Zlib {
  Zlib() {
    const SharedLibrary library("libz.so.1");
    library.find(init, "inflateInit2_");
    library.find(run, "inflate");
    library.find(end, "inflateEnd");
  }
  static const Zlib& get() {
    static const Zlib zlib;
    return zlib;
  }
  decltype(::inflateInit2_)* init;
  decltype(::inflate)* run;
  decltype(::inflateEnd)* end;
};

class GzipUnpacker : public Unpacker {
 public:
  GzipUnpacker() : zlib_(Zlib::get()) {
    // 16: with the header and the checksum of gzip.
    if (zlib_.init(&stream_, 15 + 16, ZLIB_VERSION, sizeof stream_) != Z_OK) {
      throw std::string("zlib has no memory");
    }
  }
  ~GzipUnpacker() override { zlib_.end(&stream_); }

  Step step(std::span<const std::byte> in, std::span<std::byte> out) override {
    const auto most = [](std::size_t n) {
      return static_cast<uInt>(std::min<std::size_t>(n, INT_MAX));
    };
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(in.data()));
    stream_.avail_in = most(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = most(out.size());
    const int result = zlib_.run(&stream_, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      throw std::string(stream_.msg == nullptr ? "zlib gives up" : stream_.msg);
    }
    return {most(in.size()) - stream_.avail_in, most(out.size()) - stream_.avail_out,
            result == Z_STREAM_END};
  }

 private:
  const Zlib& zlib_;
  z_stream stream_{};
};

std::unique_ptr<Unpacker> open() { return std::make_unique<GzipUnpacker>(); }
#endif

constexpr std::string_view extensions[] = {".gz"};

}  // namespace

namespace codec {
extern const Codec gzip;
const Codec gzip {
  .name = "gzip", .extensions = extensions, .magic = "\x1f\x8b\x08", .package = "zlib1g",
#if __has_include(<zlib.h>)
  .open = open
};
#else
  .open = nullptr
};
#endif
}  // namespace codec

}  // namespace onefold::io
