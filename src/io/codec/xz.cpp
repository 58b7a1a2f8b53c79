// .xz by liblzma; its check is verified. Dictionaries of more than 128 MiB are an error (xz -9 has
// 64).
#include "io/codec.hpp"

#if __has_include(<lzma.h>)
#include <lzma.h>
#endif

namespace onefold::io {
namespace {

#if __has_include(<lzma.h>)
struct Lzma {
  Lzma() {
    const SharedLibrary library("liblzma.so.5");
    library.find(decoder, "lzma_stream_decoder");
    library.find(run, "lzma_code");
    library.find(end, "lzma_end");
  }
  static const Lzma& get() {
    static const Lzma lzma;
    return lzma;
  }
  decltype(::lzma_stream_decoder)* decoder;
  decltype(::lzma_code)* run;
  decltype(::lzma_end)* end;
};

class XzUnpacker : public Unpacker {
 public:
  XzUnpacker() : lzma_(Lzma::get()) {
    constexpr uint64_t memory = uint64_t{129} << 20;
    if (lzma_.decoder(&stream_, memory, 0) != LZMA_OK) throw std::string("liblzma has no memory");
  }
  ~XzUnpacker() override { lzma_.end(&stream_); }

  Step step(std::span<const std::byte> in, std::span<std::byte> out) override {
    stream_.next_in = reinterpret_cast<const uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret result = lzma_.run(&stream_, LZMA_RUN);
    switch (result) {
      case LZMA_OK:
      case LZMA_STREAM_END:
      case LZMA_BUF_ERROR:
        break;
      case LZMA_MEMLIMIT_ERROR:
        throw std::string("its dictionary takes more than 128 MiB");
      case LZMA_OPTIONS_ERROR:
        throw std::string("liblzma does not know its options");
      default:
        throw std::string("its data are damaged");
    }
    return {in.size() - stream_.avail_in, out.size() - stream_.avail_out,
            result == LZMA_STREAM_END};
  }

 private:
  const Lzma& lzma_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

std::unique_ptr<Unpacker> open() { return std::make_unique<XzUnpacker>(); }
#endif

constexpr std::string_view extensions[] = {".xz"};

}  // namespace

namespace codec {
extern const Codec xz;
const Codec xz {
  .name = "xz", .extensions = extensions, .magic = {"\xfd\x37zXZ\0", 6}, .package = "liblzma5",
#if __has_include(<lzma.h>)
  .open = open
};
#else
  .open = nullptr
};
#endif
}  // namespace codec

}  // namespace onefold::io
