// Unpacks .gz by zlib, which every system has, and verifies its checksum.
#include "onefold/io/stream_codec.hpp"

#if __has_include(<zlib.h>)
#include <zlib.h>
#endif

namespace onefold::io {
namespace {

#if __has_include(<zlib.h>)
// More: is added to the window bits, and tells zlib whether to expect gzip's header and checksum.
template <int More>
struct Zlib {
  using Stream = z_stream;
  decltype(::inflateInit2_)* init;
  decltype(::inflate)* inflate;
  decltype(::inflateEnd)* end;

  Zlib() {
    const SharedLibrary library("libz.so.1");
    library.find(init, "inflateInit2_");
    library.find(inflate, "inflate");
    library.find(end, "inflateEnd");
  }
  void open(Stream& s) const {
    if (init(&s, 15 + More, ZLIB_VERSION, sizeof s) != Z_OK)
      throw std::string("zlib ran out of memory");
  }
  bool run(Stream& s) const {
    const int result = inflate(&s, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      throw std::string(s.msg == nullptr ? "zlib reported no reason" : s.msg);
    }
    return result == Z_STREAM_END;
  }
  void close(Stream& s) const { end(&s); }
};

constexpr OpenUnpacker open = open_stream<Zlib<16>>, plain = open_stream<Zlib<0>>;
#else
constexpr OpenUnpacker open = nullptr, plain = nullptr;
#endif

constexpr std::string_view extensions[] = {".gz"};
constexpr std::string_view magic[] = {"\x1f\x8b\x08"};

}  // namespace

OpenUnpacker open_zlib() { return plain; }

namespace codec {
extern const Codec gzip;
const Codec gzip{
    .name = "gzip", .extensions = extensions, .magic = magic, .package = "zlib1g", .open = open};
}  // namespace codec

}  // namespace onefold::io
