// Any bytes as expressions of --where and --let give an answer or an error, and the same ones
// wherever the table's pieces end.
#include "fuzz.hpp"
#include "onefold/tables/group_fold.hpp"

using namespace onefold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  constexpr std::string_view table =
      "d,s,x,y\n2024-02-29,a,0.1,3\n,NA,,-2\n2024-12-31 23:59,\"b,\",1e300,0\n1,z,NA,7\n";
  fuzz::Choices c(data, size);
  io::InputOptions input{.format = "text", .guess = true};
  const bool lets = c.pick(2) == 1, grouped = c.pick(2) == 1;
  const std::string_view text = c.rest();
  (lets ? input.let : input.choose) = text;
  if (grouped) input.by = "s";
  const fuzz::MemoryFile file(table);
  const auto fold = [&](const io::Limits& limits) {
    return fuzz::outcome([&] {
      const Query query("sum,argmin,count", {.empty_nan = true, .threads = 1});
      if (!grouped) return io::fold_files(query, {file.path()}, input, {}, limits);
      return io::group_files(query, {file.path()}, input, {}, limits).answers;
    });
  };
  fuzz::expect_same(fold({}), fold({.text_chunk_bytes = 64, .text_batch_bytes = 1000}));
  return 0;
}
