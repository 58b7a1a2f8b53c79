// Finds out where lines of a text begin and how many there are, without reading the text before.
//
//   states  a line end within quotes ends no line, and whether a part of a text begins within
//           quotes is known only when all parts before it were read. So a part is scanned for each
//           state in which it can begin; parts are joined in order
//   cost    a pass that looks for quotes and line ends, on several threads
#pragma once

#include <array>
#include <cstdint>

#include "onefold/io/file.hpp"

namespace onefold::io {

// The rows of a text between the begins of two lines.
struct TextRange {
  static constexpr uint64_t to_the_end = ~uint64_t{0};
  uint64_t begin = 0, end = to_the_end;
  Size lines = 0;  // line ends before `begin`
};

// What begins and ends quotes in a text.
struct QuoteRule {
  char delimiter = ',';
  bool quotes = true;  // false: each line end ends a line
  uint64_t text = 0;   // where the text's first line begins
};

struct LineScan {
  // Where a byte stands: outside or inside of quotes, or behind a closing quote, unless a second
  // quote follows.
  enum State : uint64_t { outside, inside, closing };
  // What a scan of a part finds, if the part's first byte is in a given state.
  struct From {
    State end = outside;
    // Begin of the first line after a line end outside of quotes
    uint64_t line = TextRange::to_the_end;
    uint64_t lines = 0;  // number of the part's line ends before that
  };
  std::array<From, 3> from = {From{outside}, From{inside}, From{closing}};
  uint64_t lines = 0;   // all line ends
  uint64_t unsure = 0;  // not 0: the meaning of a quote depends on bytes too far before it

  // Appends the next part.
  void add(const LineScan& next);
};

// Scans the bytes [begin, end) of a seekable file.
LineScan scan_lines(const File& file, uint64_t begin, uint64_t end, const QuoteRule& rule,
                    int threads);

}  // namespace onefold::io
