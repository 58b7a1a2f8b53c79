// Unpacks .bz2 by libbz2, and verifies its checksums.
#include "onefold/io/stream_codec.hpp"

#if __has_include(<bzlib.h>)
#include <bzlib.h>
#endif

namespace onefold::io {
namespace {

#if __has_include(<bzlib.h>)
struct Bzlib {
  using Stream = bz_stream;
  decltype(::BZ2_bzDecompressInit)* init;
  decltype(::BZ2_bzDecompress)* decompress;
  decltype(::BZ2_bzDecompressEnd)* end;

  Bzlib() {
    const SharedLibrary library("libbz2.so.1.0");
    library.find(init, "BZ2_bzDecompressInit");
    library.find(decompress, "BZ2_bzDecompress");
    library.find(end, "BZ2_bzDecompressEnd");
  }
  void open(Stream& s) const {
    if (init(&s, 0, 0) != BZ_OK) throw std::string("libbz2 ran out of memory");
  }
  bool run(Stream& s) const {
    const int result = decompress(&s);
    if (result != BZ_OK && result != BZ_STREAM_END) throw std::string("its data are damaged");
    return result == BZ_STREAM_END;
  }
  void close(Stream& s) const { end(&s); }
};

constexpr auto open = open_stream<Bzlib>;
#else
constexpr std::nullptr_t open = nullptr;
#endif

constexpr std::string_view extensions[] = {".bz2"};
constexpr std::string_view magic[] = {"BZh"};

}  // namespace

namespace codec {
extern const Codec bzip2;
const Codec bzip2{.name = "bzip2",
                  .extensions = extensions,
                  .magic = magic,
                  .package = "libbz2-1.0",
                  .open = open};
}  // namespace codec

}  // namespace onefold::io
