// .bz2 by libbz2; its checksums are verified.
#include "io/codec.hpp"

#if __has_include(<bzlib.h>)
#include <bzlib.h>

#include <algorithm>
#include <climits>
#endif

namespace onefold::io {
namespace {

#if __has_include(<bzlib.h>)
struct Bzlib {
  Bzlib() {
    const SharedLibrary library("libbz2.so.1.0");
    library.find(init, "BZ2_bzDecompressInit");
    library.find(run, "BZ2_bzDecompress");
    library.find(end, "BZ2_bzDecompressEnd");
  }
  static const Bzlib& get() {
    static const Bzlib bzlib;
    return bzlib;
  }
  decltype(::BZ2_bzDecompressInit)* init;
  decltype(::BZ2_bzDecompress)* run;
  decltype(::BZ2_bzDecompressEnd)* end;
};

class Bzip2Unpacker : public Unpacker {
 public:
  Bzip2Unpacker() : bzlib_(Bzlib::get()) {
    if (bzlib_.init(&stream_, 0, 0) != BZ_OK) throw std::string("libbz2 has no memory");
  }
  ~Bzip2Unpacker() override { bzlib_.end(&stream_); }

  Step step(std::span<const std::byte> in, std::span<std::byte> out) override {
    const auto most = [](std::size_t n) {
      return static_cast<unsigned>(std::min<std::size_t>(n, INT_MAX));
    };
    stream_.next_in = const_cast<char*>(reinterpret_cast<const char*>(in.data()));
    stream_.avail_in = most(in.size());
    stream_.next_out = reinterpret_cast<char*>(out.data());
    stream_.avail_out = most(out.size());
    const int result = bzlib_.run(&stream_);
    if (result != BZ_OK && result != BZ_STREAM_END) throw std::string("its data are damaged");
    return {most(in.size()) - stream_.avail_in, most(out.size()) - stream_.avail_out,
            result == BZ_STREAM_END};
  }

 private:
  const Bzlib& bzlib_;
  bz_stream stream_{};
};

std::unique_ptr<Unpacker> open() { return std::make_unique<Bzip2Unpacker>(); }
#endif

constexpr std::string_view extensions[] = {".bz2"};

}  // namespace

namespace codec {
extern const Codec bzip2;
const Codec bzip2 {
  .name = "bzip2", .extensions = extensions, .magic = "BZh", .package = "libbz2-1.0",
#if __has_include(<bzlib.h>)
  .open = open
};
#else
  .open = nullptr
};
#endif
}  // namespace codec

}  // namespace onefold::io
