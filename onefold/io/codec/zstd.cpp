// Unpacks .zst by libzstd. Windows of more than 128 MiB, which zstd refuses too, are an error.
#include "onefold/io/stream_codec.hpp"

#if __has_include(<zstd.h>)
#include <zstd.h>
#endif

namespace onefold::io {
namespace {

#if __has_include(<zstd.h>)
struct Zstd {
  struct Stream {
    ZSTD_DStream* z;
    const void* next_in;
    std::size_t avail_in;
    void* next_out;
    std::size_t avail_out;
  };
  decltype(::ZSTD_createDStream)* create;
  decltype(::ZSTD_freeDStream)* free;
  decltype(::ZSTD_decompressStream)* decompress;
  decltype(::ZSTD_isError)* is_error;
  decltype(::ZSTD_getErrorName)* name;

  Zstd() {
    const SharedLibrary library("libzstd.so.1");
    library.find(create, "ZSTD_createDStream");
    library.find(free, "ZSTD_freeDStream");
    library.find(decompress, "ZSTD_decompressStream");
    library.find(is_error, "ZSTD_isError");
    library.find(name, "ZSTD_getErrorName");
  }
  void open(Stream& s) const {
    s.z = create();
    if (s.z == nullptr) throw std::string("libzstd ran out of memory");
  }
  bool run(Stream& s) const {
    ZSTD_inBuffer from{s.next_in, s.avail_in, 0};
    ZSTD_outBuffer to{s.next_out, s.avail_out, 0};
    const std::size_t result = decompress(s.z, &to, &from);
    if (is_error(result) != 0) throw std::string(name(result));
    s.avail_in -= from.pos;
    s.avail_out -= to.pos;
    return result == 0;
  }
  void close(Stream& s) const { free(s.z); }
};

constexpr auto open = open_stream<Zstd>;
#else
constexpr std::nullptr_t open = nullptr;
#endif

constexpr std::string_view extensions[] = {".zst", ".zstd"};
// A frame of data; or one of the 16 kinds of frames that are skipped, with which pzstd begins.
constexpr std::string_view magic[] = {"\x28\xb5\x2f\xfd", "\x50\x2a\x4d\x18", "\x51\x2a\x4d\x18",
                                      "\x52\x2a\x4d\x18", "\x53\x2a\x4d\x18", "\x54\x2a\x4d\x18",
                                      "\x55\x2a\x4d\x18", "\x56\x2a\x4d\x18", "\x57\x2a\x4d\x18",
                                      "\x58\x2a\x4d\x18", "\x59\x2a\x4d\x18", "\x5a\x2a\x4d\x18",
                                      "\x5b\x2a\x4d\x18", "\x5c\x2a\x4d\x18", "\x5d\x2a\x4d\x18",
                                      "\x5e\x2a\x4d\x18", "\x5f\x2a\x4d\x18"};

}  // namespace

namespace codec {
extern const Codec zstd;
const Codec zstd{
    .name = "zstd", .extensions = extensions, .magic = magic, .package = "libzstd1", .open = open};
}  // namespace codec

}  // namespace onefold::io
