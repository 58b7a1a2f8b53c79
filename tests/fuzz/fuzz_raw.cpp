// Any bytes as a raw file give the same answer as an array in memory.
#include <cstring>
#include <vector>

#include "fuzz.hpp"

using namespace onefold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  fuzz::Choices c(data, size);
  const Options options{.axes = fuzz::pick_axes(c), .threads = 1};
  const DType t = fuzz::pick_dtype(c);
  io::InputOptions input{.format = "raw", .dtype = t, .offset = c.pick(12)};
  Size elements = 1;
  if (c.pick(2) == 1) {
    Dims shape;
    for (unsigned d = c.pick(5); d > 0; --d) {
      shape.push_back(static_cast<int64_t>(c.pick(9)) - (c.pick(20) == 0));
      elements *= static_cast<Size>(shape[shape.rank() - 1]);
    }
    input.shape = shape;
  }
  const io::Limits limits{.window_bytes = c.pick(200) + Size{1},
                          .state_bytes = c.pick(200) * Size{100}};
  const fuzz::MemoryFile file(c.rest());
  const char* const ops = "min,argmax,count,sum";
  const std::string got = fuzz::outcome([&] {
    return io::fold_files({ops, options}, {file.path()}, input, {}, limits);
  });
  if (c.rest().size() < input.offset) return 0;
  // An empty file may be a stream, as in /proc, and the error message says so.
  if (c.rest().empty() && got.starts_with("bad_axis")) return 0;
  std::string_view rest = c.rest().substr(input.offset);
  if (!input.shape) {
    elements = rest.size() / bytes_of(t);
    if (rest.size() % bytes_of(t) != 0) return 0;
    input.shape = Dims(elements);
  }
  for (const int64_t n : *input.shape) {
    if (n < 0) return 0;
  }
  if (elements * bytes_of(t) > rest.size()) return 0;
  std::vector<uint64_t> memory(rest.size() / 8 + 1);
  std::memcpy(memory.data(), rest.data(), rest.size());
  fuzz::expect_same(got, fuzz::outcome([&] {
                      return fold(ops, {memory.data(), t, *input.shape}, options);
                    }));
  return 0;
}
