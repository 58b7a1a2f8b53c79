// Any bytes as a text give an answer or an error, and the same ones wherever chunks end.
#include "fuzz.hpp"

using namespace onefold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  fuzz::Choices c(data, size);
  const Options options{.axes = fuzz::pick_axes(c), .threads = 1};
  io::InputOptions input{.format = "text"};
  if (c.pick(2) == 1) input.dtype = fuzz::pick_dtype(c);
  const Size more = c.pick(30), table = c.pick(200);
  // A number longer than a chunk is an error, so chunks are as long as the longest number.
  std::size_t longest = 0, token = 0;
  for (const char ch : c.rest()) {
    token = io::is_separator(ch) ? 0 : token + 1;
    longest = std::max(longest, token);
  }
  const io::Limits small{
      .text_chunk_bytes = longest + 1 + more, .text_batch_bytes = 1000, .table_bytes = table};
  const fuzz::MemoryFile file(c.rest());
  const auto fold = [&](const io::Limits& limits) {
    return fuzz::outcome([&] {
      return io::fold_files({"sum,argmin,count", options}, {file.path()}, input, {}, limits);
    });
  };
  fuzz::expect_same(fold({}), fold(small));
  return 0;
}
