// Parses a piece of text into numbers, and counts its lines, which tell the shape of the whole.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "io/number.hpp"
#include "onefold/error.hpp"

namespace onefold::io {

// The state of a line at the start of a chunk: the text of the line that comes before it.
enum class LineState : uint8_t { start, after_token, after_comma };

// Lines with at least one number: rectangular or not. Lines of white space do not count.
struct Lines {
  Size count = 0;
  Size columns = 0;  // of the first
  bool ragged = false;
  Size odd_line = 0;  // the first line that differs, and its columns
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

// The shape of a text, chunk by chunk: add what each chunk saw, in order.
struct LineCounts {
  Size numbers = 0;
  Size line_ends = 0;
  bool ended = false;   // a line ended in it
  Size head = 0;        // numbers before the first line end
  Lines lines;          // those that begin and end in it
  Size tail = 0;        // numbers after the last line end, or all if there is none
  Size tail_bytes = 0;  // bytes there

  void add(const LineCounts& next);
  // The lines if nothing follows.
  Lines all() const;
  // Two lines or more of one count of two or more are a 2-D array.
  static bool is_table(const Lines& l) { return l.count >= 2 && !l.ragged && l.columns >= 2; }
};

struct TextProblem {
  ErrorCode code;
  Size at;  // in the chunk
  std::string what;
};

struct ParsedChunk {
  LineCounts lines;
  std::optional<TextProblem> problem;  // the first
};

// Takes the numbers of a chunk, some thousand at a time.
//   terms  the digits of some of them that f64 do not tell, by rising places; unless `rounded`
using NumberSink = void (*)(void* context, const void* values, Size n,
                            std::span<const DecimalTerm> terms);

// Whether most of the first numbers have a point and fewer than 16 bytes. Then reading them without
// bins is quicker.
bool has_points(const char* begin, const char* end);

// Parses a chunk that ends after a number, after a line or where the text does.
//   end     text_padding bytes can be read from there; the first is a separator, or an end of line
//           is the last before it
//   last    the text ends here
//   plain   as on the oldest processors
//   bins    of f64, unless `rounded`: null, or all decimals but terms are added to it
ParsedChunk parse_chunk(DType t, const char* begin, const char* end, LineState state,
                        Integers integers, bool last, NumberSink sink, void* context,
                        bool plain = false, decimal::Bins* bins = nullptr);

}  // namespace onefold::io
