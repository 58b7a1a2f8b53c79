// The interface of a reader of tables: it gives rows of numbers and their keys, piece by piece.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "onefold/engine/plan/decimal_terms.hpp"
#include "onefold/io/number.hpp"
#include "onefold/io/table.hpp"

namespace onefold::io {

// The keys of a piece's rows, joined as by join_key. Any thread may call it.
class RowKeys {
 public:
  virtual ~RowKeys() = default;
  virtual void append(Size row, std::string& key) const = 0;
  // If two rows of a piece have the same identity, they have equal keys. 0: the identity is not
  // known.
  virtual uint64_t identity(Size) const { return 0; }
};

// Adds counts, column by column; an empty vector means only zeros.
inline void add_to(std::vector<Size>& sums, const std::vector<Size>& counts) {
  if (sums.size() < counts.size()) sums.resize(counts.size());
  for (std::size_t k = 0; k < counts.size(); ++k) sums[k] += counts[k];
}

// The fields of a column that are no numbers of f64. The column is left out, or refused.
struct OtherFields {
  Size texts = 0;     // number of fields that are no numbers
  Size integers = 0;  // number of integers that f64 cannot hold
  Size line = 0;      // line of the first such field, from 1
  std::string text;   // that field
  std::string file = {};

  // Adds those of later rows.
  void add(const OtherFields& next) {
    const bool empty = texts + integers == 0;
    const Size all_texts = texts + next.texts, all_integers = integers + next.integers;
    if (empty || (texts == 0 && next.texts > 0)) *this = next;
    texts = all_texts;
    integers = all_integers;
  }
};
using OthersBySlot = std::map<Size, OtherFields>;

class RowReader {
 public:
  virtual ~RowReader() = default;

  // n rows of a piece: the value of slot s in row r is values[s * capacity + r].
  struct Rows {
    const std::byte* values;
    Size n, capacity;
    const RowKeys& keys;                  // only if the table has keys
    std::span<const Size> left_out = {};  // positions of values that are missing, in any order
    // Digits of a text's values that f64 cannot hold, by ascending position; none for `rounded`.
    std::span<const DecimalTerm> terms = {};
    // Positions of a text's numbers of 2^53 or more that have a point or an exponent, in any order.
    std::span<const Size> pointed = {};

    // Returns, for each value of `slots` columns, a byte at its position: 1 if it is present.
    std::vector<std::byte> present(Size slots) const {
      std::vector<std::byte> bytes(slots * capacity, std::byte{1});
      for (const Size place : left_out) bytes[place] = std::byte{0};
      return bytes;
    }
  };
  // Reads the next pieces, at most `most`, on `threads` threads. One of them calls rows(k, ...) for
  // piece k. Then done(k, number of rows) is called for each piece in order. Returns false if the
  // table has ended.
  //   throws  bad_token, out_of_range: after done(k) of the pieces before; read_failed
  using RowsOf = std::function<void(Size k, const Rows& rows)>;
  virtual bool next(Size most, int threads, const RowsOf& rows,
                    const std::function<void(Size k, Size n)>& done) = 0;

  virtual Size bytes_done() const = 0;
  virtual Size bad_lines() const { return 0; }
  // The number of lines that repeat the header, and are left out.
  virtual Size repeated_headers() const { return 0; }
  // The number of missing values of each slot; empty: none is missing.
  virtual std::vector<Size> missing() const { return {}; }
  // Returns what is no number, for each slot that has such fields.
  virtual OthersBySlot others() const { return {}; }
  // Returns "line 17, column 2 (temp): ...", about the first bad line that was left out.
  virtual std::string first_bad() const { return {}; }
  // Names of members of JSON Lines that are no columns, because none of the first lines has them.
  virtual std::set<std::string> unknown() const { return {}; }
};

// The key of a container's row whose key column is null. No text begins like this.
inline constexpr std::string_view null_key = "\xffnull";

//   dtype  the type of the numbers
std::unique_ptr<RowReader> open_rows(File& file, const Table& table, DType dtype, Integers integers,
                                     Size piece_bytes);

}  // namespace onefold::io
