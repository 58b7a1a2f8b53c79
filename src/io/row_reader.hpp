// The interface of a reader of tables: it gives rows of numbers and their keys, piece by piece.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "io/number.hpp"
#include "io/table.hpp"
#include "plan/decimal_terms.hpp"

namespace onefold::io {

// The keys of a piece's rows, as join_key has them. From any thread.
class RowKeys {
 public:
  virtual ~RowKeys() = default;
  virtual void append(Size row, std::string& key) const = 0;
};

// Adds counts of columns; none stand for zeros.
inline void add_to(std::vector<Size>& sums, const std::vector<Size>& counts) {
  if (sums.size() < counts.size()) sums.resize(counts.size());
  for (std::size_t k = 0; k < counts.size(); ++k) sums[k] += counts[k];
}

class RowReader {
 public:
  virtual ~RowReader() = default;

  // n rows of a piece: slot s of row r stands at values[s * capacity + r].
  struct Rows {
    const std::byte* values;
    Size n, capacity;
    const RowKeys& keys;                  // where the table has some
    std::span<const Size> left_out = {};  // places of values that are not there, in any order
    // What f64 do not tell of some values of a text, by rising places; unless `rounded`.
    std::span<const DecimalTerm> terms = {};

    // Whether each value of `slots` columns is there, a byte of 1 or 0 at its place.
    std::vector<std::byte> present(Size slots) const {
      std::vector<std::byte> bytes(slots * capacity, std::byte{1});
      for (const Size place : left_out) bytes[place] = std::byte{0};
      return bytes;
    }
  };
  // Reads the next pieces, at most `most`, on `threads` threads. rows(k, ...) is called on any of
  // them, for piece k. Then done(k, n) in order. False: the table has ended.
  //   throws  bad_token, out_of_range: after done(k) of the pieces before; read_failed
  using RowsOf = std::function<void(Size k, const Rows& rows)>;
  virtual bool next(Size most, int threads, const RowsOf& rows,
                    const std::function<void(Size k, Size n)>& done) = 0;

  virtual Size bytes_done() const = 0;
  virtual Size bad_lines() const { return 0; }
  // The number of missing values of each slot; empty: none is missing.
  virtual std::vector<Size> missing() const { return {}; }
  // Slots of columns that began with nothing, and hold text.
  virtual std::set<Size> texts() const { return {}; }
  // "line 17, column 2 (temp): ..." of the first bad line that was left out.
  virtual std::string first_bad() const { return {}; }
};

// A key of a container's column that is no value. No text begins so.
inline constexpr std::string_view null_key = "\xffnull";

//   dtype  of the numbers
std::unique_ptr<RowReader> open_rows(File& file, const Table& table, DType dtype, Integers integers,
                                     Size piece_bytes);

}  // namespace onefold::io
