// A table in a file or stream, read from front to back and cut into pieces of whole lines that are
// parsed on several threads.
//
//   pieces  end after a line; a line end within quotes is none
//   lines   longer than `longest_line` are bad_token
//   memory  one batch of pieces, and for each number of them 8 bytes
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/source.hpp"
#include "io/table_rows.hpp"

namespace onefold::io {

class TableReader {
 public:
  static constexpr std::size_t longest_line = std::size_t{8} << 20;

  TableReader(File& file, const Table& table, DType dtype, bool exact, Size piece_bytes);

  // n rows of a piece: slot s of row r stands at values[s * capacity + r].
  struct Rows {
    const std::byte* values;
    Size n, capacity;
    const RowLayout& layout;
    const char* text;
    const char* end;
    const std::vector<Size>& starts;  // of lines in `text`, where there are keys
  };
  // Parses the next pieces, at most `most`, on `threads` threads. rows(k, ...) is called on any of
  // them, for piece k. Then done(k, n) in order. False: the table has ended.
  //   throws  bad_token, out_of_range: after done(k) of the pieces before; read_failed
  using RowsOf = std::function<void(Size k, const Rows& rows)>;
  bool next(Size most, int threads, const RowsOf& rows,
            const std::function<void(Size k, Size n)>& done);

  Size bytes_done() const { return done_; }
  Size bad_lines() const { return bad_; }
  // "line 17, column 2 (temp): ..." of the first bad line that was left out.
  const std::string& first_bad() const { return first_bad_; }

 private:
  struct Piece {
    std::unique_ptr<Buffers::Lease> text;
    std::size_t bytes = 0;
  };
  bool cut(Piece& piece);
  std::string place_of(const RowProblem& problem) const;

  File& file_;
  const Table& table_;
  RowLayout layout_;
  DType dtype_;
  std::size_t piece_bytes_;
  Buffers texts_, numbers_;
  std::vector<char> carry_;
  bool begun_ = false, ended_ = false;
  Size done_ = 0, lines_ = 0, bad_ = 0;
  std::string first_bad_;
};

}  // namespace onefold::io
