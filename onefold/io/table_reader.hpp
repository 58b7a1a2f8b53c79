// A table in a file or stream, read from front to back and cut into pieces of whole lines that are
// parsed on several threads.
//
//   pieces  end after a line; a line end within quotes does not count
//   lines   longer than `longest_line` are bad_token
//   memory  one batch of pieces, and 8 bytes for each number in it
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "onefold/io/json_lines.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/source.hpp"
#include "onefold/io/table_rows.hpp"

namespace onefold::io {

class TableReader : public RowReader {
 public:
  static constexpr std::size_t longest_line = std::size_t{16} << 20;

  TableReader(File& file, const Table& table, DType dtype, Integers integers, Size piece_bytes);

  bool next(Size most, int threads, const RowsOf& rows,
            const std::function<void(Size k, Size n)>& done) override;
  Size bytes_done() const override { return done_; }
  Size bad_lines() const override { return bad_; }
  std::vector<Size> missing() const override { return missing_; }
  OthersBySlot others() const override { return others_; }
  Size repeated_headers() const override { return headers_; }
  std::string first_bad() const override { return first_bad_; }
  std::set<std::string> unknown() const override { return unknown_; }

 private:
  static constexpr std::size_t lead = FieldLines::lead;  // bytes before a text that can be read
  struct Piece {
    std::unique_ptr<Buffers::Lease> memory;
    std::size_t bytes = 0;
    char* text() const { return reinterpret_cast<char*>(memory->data()) + lead; }
  };
  bool cut(Piece& piece);
  std::string place_of(const RowProblem& problem) const;
  ParsedRows parse(const FieldLines* json, const char* text, const char* end, void* values,
                   Size capacity) const;

  File& file_;
  const Table& table_;
  std::unique_ptr<const JsonReading> json_;  // of JSON Lines
  RowLayout layout_;
  DType dtype_;
  std::size_t piece_bytes_;
  Buffers texts_, numbers_;
  std::vector<char> carry_;
  bool begun_ = false, ended_ = false;
  Size done_ = 0, lines_ = 0, bad_ = 0, headers_ = 0;
  std::string first_bad_;
  std::set<std::string> unknown_;
  std::vector<Size> missing_;
  OthersBySlot others_;
};

}  // namespace onefold::io
