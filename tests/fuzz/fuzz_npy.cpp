// Any bytes as an .npy file give an answer or an error, and no crash; small windows change nothing.
#include "fuzz.hpp"
#include "onefold/io/format.hpp"

using namespace onefold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  fuzz::Choices c(data, size);
  const Options options{.axes = fuzz::pick_axes(c), .threads = 1};
  const unsigned frame = c.pick(3);
  std::string bytes(c.rest());
  if (frame > 0) {
    // Half of the inputs get a valid magic; the dict ends at the input's first line end.
    const std::size_t dict = std::min(bytes.find('\n') + 1, bytes.size());
    std::string head = "\x93NUMPY";
    head += static_cast<char>(frame);
    head += '\0';
    for (unsigned k = 0; k < frame * 2; ++k) head += static_cast<char>(dict >> (8 * k) & 255);
    bytes.insert(0, head);
  }
  const fuzz::MemoryFile file(bytes);
  // An array without elements may still have more answers than memory holds.
  const std::string header = fuzz::outcome([&] {
    io::File f(file.path());
    const io::DenseArray a = io::choose_format(f, "x.npy", {}).open(f, {});
    Uint128 cells = 1;
    for (const int64_t n : a.shape) {
      cells *= static_cast<Uint128>(n > 0 ? n : 1);
      if (cells > 1 << 20) throw Error(ErrorCode::unsupported, "too many answers to fuzz");
    }
    return Answers();
  });
  if (!header.empty()) return 0;
  const io::InputOptions input{.format = "npy"};
  const auto fold = [&](const io::Limits& limits) {
    return fuzz::outcome([&] {
      return io::fold_files({"sum,argmin,count_nan", options}, {file.path()}, input, {}, limits);
    });
  };
  const io::Limits small{.window_bytes = 100, .most_window_bytes = 100, .state_bytes = 4000};
  fuzz::expect_same(fold({}), fold(small));
  return 0;
}
