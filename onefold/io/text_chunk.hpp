// Parses a piece of text into numbers, and counts its lines, which give the shape of the text.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "onefold/error.hpp"
#include "onefold/io/number.hpp"

namespace onefold::io {

// What comes before a chunk in the line in which it begins.
enum class LineState : uint8_t { start, after_token, after_comma };

// Counts lines with numbers, and finds whether all have equally many. Blank lines do not count.
struct Lines {
  Size count = 0;
  Size columns = 0;  // numbers in the first line
  bool ragged = false;
  Size odd_line = 0;  // the first line with another number of numbers, and that number
  Size odd_columns = 0;
  void add(Size columns_of_line) {
    if (columns_of_line == 0) return;
    if (count == 0) columns = columns_of_line;
    if (columns_of_line != columns) differ(count, columns_of_line);
    ++count;
  }
  void add(const Lines& other) {
    if (other.count == 0) return;
    if (count == 0) columns = other.columns;
    if (other.columns != columns) differ(count, other.columns);
    if (other.ragged) differ(count + other.odd_line, other.odd_columns);
    count += other.count;
  }

 private:
  void differ(Size line, Size columns_of_line) {
    if (ragged) return;
    ragged = true;
    odd_line = line;
    odd_columns = columns_of_line;
  }
};

// What the chunks so far tell of a text's shape; chunks are added in order.
struct LineCounts {
  Size numbers = 0;
  Size line_ends = 0;
  bool ended = false;   // some line ended in the chunks
  Size head = 0;        // numbers before the first line end
  Lines lines;          // lines that begin and end in the chunks
  Size tail = 0;        // numbers after the last line end, or all if there is none
  Size tail_bytes = 0;  // bytes after the last line end

  void add(const LineCounts& next);
  // Returns the lines, if nothing follows.
  Lines all() const;
  // At least two lines, each of the same number (at least two) of numbers, are a 2-D array.
  static bool is_table(const Lines& l) { return l.count >= 2 && !l.ragged && l.columns >= 2; }
};

struct TextProblem {
  ErrorCode code;
  Size at;  // position in the chunk
  std::string what;
};

struct ParsedChunk {
  LineCounts lines;
  // Where the first line begins in which a comma stands between two numbers, or blanks alone do;
  // none: there is no such line.
  Size comma = none, blank = none;
  std::optional<TextProblem> problem;  // the first problem
};

// Takes the numbers of a chunk, some thousands at a time.
//   terms  digits that f64 cannot hold, by ascending position; none for `rounded`
using NumberSink = void (*)(void* context, const void* values, Size n,
                            std::span<const DecimalTerm> terms);

// Returns whether most of the first numbers have a point and fewer than 16 bytes. Then it is
// quicker to read them without bins.
bool has_points(const char* begin, const char* end);

// Parses a chunk that ends after a number, after a line, or with the text.
//   end     text_padding bytes are readable from there; the first of them is a separator, or the
//           byte before is a line end
//   last    the text ends with this chunk
//   plain   use code for the oldest processors
//   bins    for f64, unless `rounded`: null, or gets all decimals that are not terms
ParsedChunk parse_chunk(DType t, const char* begin, const char* end, LineState state,
                        Integers integers, bool last, NumberSink sink, void* context,
                        bool plain = false, decimal::Bins* bins = nullptr);

}  // namespace onefold::io
