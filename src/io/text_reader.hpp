// A text in a file or pipe, cut into chunks that are parsed on several threads.
//
//   chunks   end after a line if a line ends in them, otherwise after a number. So no number is
//            cut, and it is known how a chunk begins before the chunk before it is parsed
//   tokens   longer than a chunk are bad_token
//   memory   one batch of chunks
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "io/file.hpp"
#include "io/source.hpp"
#include "io/text_chunk.hpp"

namespace onefold::io {

// Throws bad_token, unsupported for what is often taken for a text and has an error of its own:
// byte order marks, compressed files, archives, and the files of other programs.
//   marks  byte order marks of UTF-8 are allowed
void refuse_what_is_no_text(File& file, bool marks = false);

class TextReader {
 public:
  TextReader(File& file, DType dtype, Integers integers, Size chunk_bytes);

  // A comma in a text whose first line is one number, where all lines near it are one too but for
  // their commas, as 999 and 1,000 are, is bad_token: it may be part of a number.
  void refuse_lone_commas() { lone_commas_ = false; }

  // Parses the next chunks, at most `chunks` of them, on `threads` threads. What parsing of chunk k
  // finds goes to sink(contexts(k), ...); then done(k, lines) is called for each chunk, in order.
  // False: the text has ended.
  //   bins    none, or where parse_chunk adds the decimals of chunk k, which has points or not
  //   throws  bad_token, out_of_range: after done(k) for the chunks before it; read_failed
  bool next(Size chunks, int threads, NumberSink sink, const std::function<void*(Size)>& context,
            const std::function<void(Size, const LineCounts&)>& done,
            const std::function<decimal::Bins*(Size, bool)>& bins = {});

  // All that has been parsed.
  const LineCounts& lines() const { return lines_; }
  // The shape if the text ends here. As a table, where one is asked for, a single line too.
  //   throws  bad_token: a table is asked for, and its lines differ
  Dims shape(bool table = false) const;
  Size bytes_done() const { return done_; }

 private:
  struct Chunk {
    uint64_t offset = 0;  // seekable: where it is
    std::size_t bytes = 0;
    LineState state = LineState::start;
    bool last = false;
    bool too_long = false;                   // one token fills it
    std::unique_ptr<Buffers::Lease> memory;  // a stream's: read already
  };
  // The first line with a comma, from 1, in a chunk of one number a line but for that.
  struct LoneComma {
    Size line = 0;
    std::string text;
  };
  static LoneComma lone_comma(std::string_view text);
  bool cut(Chunk& chunk);
  std::size_t cut_at(const char* text, std::size_t n, Chunk& chunk);
  using BinsOf = std::function<decimal::Bins*(bool points)>;
  ParsedChunk parse(Chunk& chunk, NumberSink sink, void* context, const BinsOf& bins_of,
                    LoneComma& lone);
  [[noreturn]] void fail(const ParsedChunk& chunk) const;

  File& file_;
  DType dtype_;
  Integers integers_;
  std::size_t chunk_bytes_;
  Buffers buffers_;
  LineCounts lines_;
  LineState state_ = LineState::start;  // before the next chunk
  uint64_t at_ = 0;                     // seekable: its offset
  std::vector<char> carry_;             // a stream's bytes that belong to the next chunk
  bool ended_ = false;
  bool lone_commas_ = true;
  Size done_ = 0;
};

}  // namespace onefold::io
