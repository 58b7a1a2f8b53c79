// Unpacks .xz by liblzma, and verifies its check. Dictionaries of more than 128 MiB are an error
// (xz -9 uses 64).
#include "onefold/io/stream_codec.hpp"

#if __has_include(<lzma.h>)
#include <lzma.h>
#endif

namespace onefold::io {
namespace {

#if __has_include(<lzma.h>)
struct Lzma {
  using Stream = lzma_stream;
  decltype(::lzma_stream_decoder)* decoder;
  decltype(::lzma_code)* code;
  decltype(::lzma_end)* end;

  Lzma() {
    const SharedLibrary library("liblzma.so.5");
    library.find(decoder, "lzma_stream_decoder");
    library.find(code, "lzma_code");
    library.find(end, "lzma_end");
  }
  void open(Stream& s) const {
    constexpr uint64_t memory = uint64_t{129} << 20;
    if (decoder(&s, memory, 0) != LZMA_OK) throw std::string("liblzma ran out of memory");
  }
  bool run(Stream& s) const {
    switch (code(&s, LZMA_RUN)) {
      case LZMA_STREAM_END:
        return true;
      case LZMA_OK:
      case LZMA_BUF_ERROR:
        return false;
      case LZMA_MEMLIMIT_ERROR:
        throw std::string("its dictionary needs more than 128 MiB");
      case LZMA_OPTIONS_ERROR:
        throw std::string("it uses options that liblzma does not support");
      default:
        throw std::string("its data are damaged");
    }
  }
  void close(Stream& s) const { end(&s); }
};

constexpr auto open = open_stream<Lzma>;
#else
constexpr std::nullptr_t open = nullptr;
#endif

constexpr std::string_view extensions[] = {".xz"};
constexpr std::string_view magic[] = {{"\xfd\x37zXZ\0", 6}};

}  // namespace

namespace codec {
extern const Codec xz;
const Codec xz{
    .name = "xz", .extensions = extensions, .magic = magic, .package = "liblzma5", .open = open};
}  // namespace codec

}  // namespace onefold::io
