// Any bytes as a table give an answer or an error, and the same ones wherever pieces end.
#include "fuzz.hpp"
#include "onefold/tables/said.hpp"

using namespace onefold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  fuzz::Choices c(data, size);
  const Axes axes[] = {Axes(), {0}, {1}, {0, 1}};
  const Options options{.axes = axes[c.pick(4)], .threads = 1};
  io::InputOptions input{.format = "text", .guess = true};
  if (c.pick(4) == 0) input.dtype = fuzz::pick_dtype(c);
  const io::Header headers[] = {io::Header::unsaid, io::Header::automatic, io::Header::yes,
                                io::Header::no};
  input.header = headers[c.pick(4)];
  const char delimiters[] = {0, ',', '\t', ';', '|', ' '};
  input.delimiter = delimiters[c.pick(6)];
  input.skip_bad_lines = c.pick(2) == 1;
  if (c.pick(4) == 0 && input.delimiter != ',') input.decimal = ',';
  const char thousands[] = {0, ',', '.', '\'', ' '};
  input.thousands = thousands[c.pick(5)];
  if (input.thousands == input.decimal) input.thousands = 0;
  if (c.pick(4) == 0) input.columns = "1-2";
  if (c.pick(4) == 0) input.missing = {"x", "-999"};
  if (c.pick(4) == 0)
    input.date_format = c.pick(2) == 0 ? "%d/%m/%Y" : "2=epoch; #1=%Y%m%d %I:%M%p";
  const io::Limits small{.text_chunk_bytes = 1 + c.pick(40), .text_batch_bytes = 1000};
  const fuzz::MemoryFile file(c.rest());
  const auto fold = [&](const io::Limits& limits) {
    io::Notes notes;
    std::string s = fuzz::outcome([&] {
      return io::fold_files({"sum,argmin,count", options}, {file.path()}, input, {}, limits,
                            &notes);
    });
    for (const auto* list : {&notes.columns, &notes.left_out}) {
      for (const std::string& name : *list) s += name + "|";
    }
    for (const std::string& sentence : io::warnings_of(notes)) s += sentence + "|";
    return s;
  };
  const std::string whole = fold({}), cut = fold(small);
  // Numbers that are no table: a number that fills a short chunk is refused.
  if (cut.find("bytes; numbers must be shorter") != cut.npos) return 0;
  fuzz::expect_same(whole, cut);
  return 0;
}
