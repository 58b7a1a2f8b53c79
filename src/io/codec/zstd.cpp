// .zst by libzstd. Windows of more than 128 MiB, which zstd itself refuses too, are an error.
#include "io/codec.hpp"

#if __has_include(<zstd.h>)
#include <zstd.h>
#endif

namespace onefold::io {
namespace {

#if __has_include(<zstd.h>)
struct Zstd {
  Zstd() {
    const SharedLibrary library("libzstd.so.1");
    library.find(create, "ZSTD_createDStream");
    library.find(free, "ZSTD_freeDStream");
    library.find(run, "ZSTD_decompressStream");
    library.find(is_error, "ZSTD_isError");
    library.find(name, "ZSTD_getErrorName");
  }
  static const Zstd& get() {
    static const Zstd zstd;
    return zstd;
  }
  decltype(::ZSTD_createDStream)* create;
  decltype(::ZSTD_freeDStream)* free;
  decltype(::ZSTD_decompressStream)* run;
  decltype(::ZSTD_isError)* is_error;
  decltype(::ZSTD_getErrorName)* name;
};

class ZstdUnpacker : public Unpacker {
 public:
  ZstdUnpacker() : zstd_(Zstd::get()), stream_(zstd_.create()) {
    if (stream_ == nullptr) throw std::string("libzstd has no memory");
  }
  ~ZstdUnpacker() override { zstd_.free(stream_); }

  Step step(std::span<const std::byte> in, std::span<std::byte> out) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t result = zstd_.run(stream_, &to, &from);
    if (zstd_.is_error(result) != 0) throw std::string(zstd_.name(result));
    return {from.pos, to.pos, result == 0};
  }

 private:
  const Zstd& zstd_;
  ZSTD_DStream* stream_;
};

std::unique_ptr<Unpacker> open() { return std::make_unique<ZstdUnpacker>(); }
#endif

constexpr std::string_view extensions[] = {".zst", ".zstd"};

}  // namespace

namespace codec {
extern const Codec zstd;
const Codec zstd {
  .name = "zstd", .extensions = extensions, .magic = "\x28\xb5\x2f\xfd", .package = "libzstd1",
#if __has_include(<zstd.h>)
  .open = open
};
#else
  .open = nullptr
};
#endif
}  // namespace codec

}  // namespace onefold::io
