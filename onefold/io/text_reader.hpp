// A text in a file or pipe, cut into chunks that are parsed on several threads.
//
//   chunks   end after a line if a line ends in them, otherwise after a number. So no number is
//            cut, and a chunk's beginning is known before the chunk before it is parsed
//   tokens   longer than a chunk are bad_token
//   memory   one batch of chunks
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "onefold/io/file.hpp"
#include "onefold/io/line_scan.hpp"
#include "onefold/io/source.hpp"
#include "onefold/io/text_chunk.hpp"

namespace onefold::io {

// Refuses files that are often taken for text, each with its own error (bad_token, unsupported):
// byte order marks, compressed files, archives, and files of other programs.
//   marks  byte order marks of UTF-8 are allowed
void refuse_what_is_no_text(File& file, bool marks = false);

// Which marks may stand between the numbers of a text.
enum class Separators : uint8_t {
  all,       // blanks and commas
  one_kind,  // blanks or commas: 1 234,5 may be one number; so may 1 000 next to a tab
  sure,  // the same; and no line with either stands below lines of one number, as 1,000 below 999
  tabs   // as in a .tsv
};

class TextReader {
 public:
  //   range  of a seekable file: the lines to be read
  TextReader(File& file, DType dtype, Integers integers, Size chunk_bytes,
             const TextRange& range = {});

  // Refuses other separators than these (bad_token).
  void set_separators(Separators separators) { separators_ = separators; }

  // Parses the next chunks, at most `chunks` of them, on `threads` threads. The numbers of chunk k
  // go to sink(contexts(k), ...). Then done(k, lines) is called for each chunk, in order. Returns
  // false if the text has ended.
  //   bins    null, or bins(k, points) returns the bins to which chunk k adds its decimals; points:
  //           the chunk has decimal points
  //   throws  bad_token, out_of_range: after done(k) for the chunks before it; read_failed
  bool next(Size chunks, int threads, NumberSink sink, const std::function<void*(Size)>& context,
            const std::function<void(Size, const LineCounts&)>& done,
            const std::function<decimal::Bins*(Size, bool)>& bins = {});

  // The lines of all that was parsed.
  const LineCounts& lines() const { return lines_; }
  // Returns the shape if the text ends here. If it must be a table, a single line is one, too.
  //   throws  bad_token: it must be a table, and its lines differ
  Dims shape(bool table = false) const { return shape_of(file_, lines_, table); }
  static Dims shape_of(const File& file, const LineCounts& lines, bool table = false);
  Size bytes_done() const { return done_; }

 private:
  struct Chunk {
    uint64_t offset = 0;  // if seekable: its offset
    std::size_t bytes = 0;
    LineState state = LineState::start;
    bool last = false;
    bool too_long = false;                   // a single token fills it
    std::unique_ptr<Buffers::Lease> memory;  // for a stream: the bytes, which have been read
  };
  // A line with a mark that may be part of a number.
  struct MarkedLine {
    Size line = 0;  // numbered from 1; 0: there is none
    std::string text = {};
  };
  // The first such lines of a chunk.
  struct Marks {
    MarkedLine comma, blank;  // lines where a comma, or a blank, separates numbers
    MarkedLine lone;          // line where either does, although all other lines have one number
    MarkedLine within;        // line where either stands within a field between tabs
  };
  static MarkedLine line_at(std::string_view text, Size at);
  static MarkedLine lone_mark(std::string_view text);
  static MarkedLine within_tabs(std::string_view text, bool tsv);
  void check(const Marks& marks, Size lines_before);
  bool cut(Chunk& chunk);
  std::size_t cut_at(const char* text, std::size_t n, Chunk& chunk);
  using BinsOf = std::function<decimal::Bins*(bool points)>;
  ParsedChunk parse(Chunk& chunk, NumberSink sink, void* context, const BinsOf& bins_of,
                    Marks& marks);
  [[noreturn]] void fail(const ParsedChunk& chunk) const;
  // Numbers in the first line of the file that has any, as far as it was read.
  Size first_columns() const;
  // Reads the lines before a range, and notes what concerns the whole text.
  void read_head();

  File& file_;
  DType dtype_;
  Integers integers_;
  std::size_t chunk_bytes_;
  Buffers buffers_;
  LineCounts lines_;
  LineState state_ = LineState::start;  // the state before the next chunk
  uint64_t at_ = 0;                     // if seekable: the next chunk's offset
  std::vector<char> carry_;             // a stream's bytes for the next chunk
  bool ended_ = false;
  Separators separators_ = Separators::all;
  MarkedLine comma_, blank_;  // the first such lines of the text
  Size done_ = 0;
  TextRange range_;
  // first_columns() of the lines before the range, if there are any; 0: not known.
  Size head_columns_ = 0;
};

}  // namespace onefold::io
