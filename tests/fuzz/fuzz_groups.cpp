// Any bytes as a table with a column of keys give groups or an error, and the same ones wherever
// pieces end. The bytes are also used as an array of keys.
#include "fuzz.hpp"
#include "onefold/tables/array_groups.hpp"

using namespace onefold;

namespace {

std::string text_of(const io::Grouped& g) {
  std::string s;
  for (const std::string& name : g.by) s += name + "|";
  for (const std::string& name : g.columns) s += name + "|";
  for (const std::string& key : g.keys) s += key + "|";
  return s;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  fuzz::Choices c(data, size);
  const Options options{.nan = c.pick(2) == 1 ? NanPolicy::omit : NanPolicy::propagate,
                        .threads = 1};
  io::InputOptions input{.guess = true};
  if (c.pick(4) == 0) input.dtype = fuzz::pick_dtype(c);
  const io::Header headers[] = {io::Header::unsaid, io::Header::automatic, io::Header::yes,
                                io::Header::no};
  input.header = headers[c.pick(4)];
  const char delimiters[] = {0, ',', '\t', ';', '|', ' '};
  input.delimiter = delimiters[c.pick(6)];
  input.skip_bad_lines = c.pick(2) == 1;
  if (c.pick(4) == 0 && input.delimiter != ',') input.decimal = ',';
  const char* by[] = {"1", "2", "1-2", "2,1"};
  input.by = by[c.pick(4)];
  if (c.pick(3) == 0) input.columns = "2";
  const bool array = c.pick(4) == 0;
  const io::Limits small{.text_chunk_bytes = 1 + c.pick(40), .text_batch_bytes = 1000};
  const fuzz::MemoryFile file(c.rest());
  const auto fold = [&](const std::string& path, const io::Limits& limits) {
    std::string s;
    s += fuzz::outcome([&] {
      const io::Grouped g = io::group_files({"sum,min,count", options}, {path}, input, {}, limits);
      s += text_of(g);
      return g.answers;
    });
    return s;
  };
  if (array) {
    // The bytes are the keys, and three numbers are folded by them.
    static const fuzz::MemoryFile values("\x93NUMPY\x01" + std::string(1, '\0') + "\x38" +
                                         std::string(1, '\0') +
                                         "{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}"
                                         "\n\1\2\3");
    input = {.by = file.path()};
    fuzz::outcome([&] {
      const io::Grouped g =
          io::group_arrays({"sum,min,count", options}, {values.path()}, input, {}, {});
      text_of(g);
      return g.answers;
    });
    return 0;
  }
  input.format = "text";
  const std::string whole = fold(file.path(), {}), cut = fold(file.path(), small);
  if (cut.find("bytes; numbers must be shorter") != cut.npos) return 0;
  fuzz::expect_same(whole, cut);
  return 0;
}
