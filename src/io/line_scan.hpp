// Finds out where lines of a text begin and how many there are, without reading the text before.
//
//   states  a line end within quotes ends no line, and whether a part of a text begins within
//           quotes is known only when all parts before it were read. So a part is scanned for each
//           state in which it can begin; parts are joined in order
//   cost    a pass that looks for quotes and line ends, on several threads
#pragma once

#include <array>
#include <cstdint>

#include "io/file.hpp"

namespace onefold::io {

// The rows of a text from one line begin to another.
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
  // `closing` is behind a quote that closes, unless a second one follows.
  enum State : uint64_t { outside, inside, closing };
  // What is true if the part begins in one of the states.
  struct From {
    State end = outside;
    uint64_t line = TextRange::to_the_end;  // behind the first line end outside of quotes
    uint64_t lines = 0;                     // line ends of the part up to there
  };
  std::array<From, 3> from = {From{outside}, From{inside}, From{closing}};
  uint64_t lines = 0;   // all line ends
  uint64_t unsure = 0;  // not 0: what a quote means depends on bytes far before it

  // Appends the next part.
  void add(const LineScan& next);
};

// Scans the bytes [begin, end) of a seekable file.
LineScan scan_lines(const File& file, uint64_t begin, uint64_t end, const QuoteRule& rule,
                    int threads);

}  // namespace onefold::io
