// Windows of the last rows of each key: the rows that later windows need, and the fold of a batch
// of new rows with them. Of all its rows: the state of those that are folded.
//
//   answers  a window's rows are folded alone, so how rows come in batches changes no bit
//   memory   the rows within the last window of each key, twice while a batch is folded; of all
//            rows a state for each key and column
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "onefold/engine/plan/decimal_terms.hpp"
#include "onefold/engine/plan/query.hpp"
#include "onefold/engine/plan/scan_segment.hpp"
#include "onefold/fold.hpp"
#include "onefold/tables/row_times.hpp"

namespace onefold::io {

// Which rows a row's window has: the last ones, up to itself.
struct RowWindows {
  Size width = 0;                  // --rolling: so many rows; 0: not given
  bool cumulative = false;         // --cumulative: all rows
  std::string over = {};           // --over: the column of times
  std::string within = {};         // --within: a span of time before the row, (t - span, t]
  std::optional<Size> least = {};  // --min-periods: a window of fewer values has no answer
  // --closed: whether the row a whole width or span before, and the row itself, belong to it
  struct Closed {
    bool left = false, right = true;
  };
  std::optional<Closed> closed = {};
  // Returns the rule of windows of rows.
  Windows rule(Size least_values) const;
  // Returns the fewest values of a window with an answer: by default 1, of counts alone 0.
  Size least_of(const Query& query) const;
  // Counts of fewer values than 1 are 0, if no other number was given.
  void count_none(const OpRow& op, Answer& answer) const;
  // Throws bad_option: two kinds of windows; those of rows have no row, or fewer than the least.
  void check() const;
  // Which of --min-periods and --closed was given, to say what it lacks; null: neither.
  const char* detail() const { return closed ? "--closed" : least ? "--min-periods" : nullptr; }
  bool asked() const {
    return width != 0 || cumulative || !over.empty() || !within.empty() || detail();
  }
};

// New rows, in the order of the table.
struct RowBatch {
  Size n = 0;
  std::vector<std::vector<std::byte>> columns = {};
  std::vector<std::vector<std::byte>> present = {};  // a byte for each row; empty: all are
  std::vector<std::vector<DecimalTerm>> terms = {};  // of each column; the place is the row
  std::vector<uint32_t> keys = {};                   // of each row; empty: all have key 0
  std::vector<Int128> times = {};                    // of each row; empty: windows of rows
};

class KeyedWindows {
 public:
  //   span  of time; 0: windows of rows
  KeyedWindows(const Query& query, DType dtype, Size columns, const RowWindows& windows,
               Int128 span);

  // Answers the new rows, in their order: shape (rows, answered columns).
  Answers fold(const RowBatch& batch);

  // Answers of no rows.
  const Answers& none() const { return none_; }

  // The bytes that the rows of all keys, or their states, take while a batch is folded.
  Size bytes() const { return (windows_.cumulative ? 1 : 2) * bytes_; }
  // Returns the first row whose time is before that of an earlier row of its key; n: there is none.
  Size first_fall(const RowBatch& batch) const;
  Int128 last_time(uint32_t key) const { return tails_[key].times.back(); }
  void make_keys(Size n) {
    if (tails_.size() < n) tails_.resize(n);
  }

 private:
  // What later windows of a key need: its last rows, or a state for each column and part of the
  // query of the rows `before`.
  struct Tail {
    Size n = 0;
    std::vector<std::byte> values = {}, present = {};  // column after column
    std::vector<DecimalTerm> terms = {};               // the place is column * n + row
    std::vector<Int128> times = {};
    Size before = 0, counted = 0;                   // and the bytes that were counted
    std::vector<std::vector<int64_t>> states = {};  // number 2 * column + part
    Size bytes() const;
  };
  // The rows of the keys that a batch has, key after key, the old ones of a key first.
  struct Joined;
  void lay_out(const RowBatch& batch, Joined& all) const;
  void fill_column(const RowBatch& batch, Size column, Joined& all) const;
  void find_windows(Joined& all) const;
  void keep_tails(Joined& all);
  void keep_rows(const Joined& all, std::size_t k, Size first, Tail& tail) const;
  std::vector<ScanSegment> segments_of(const Joined& all, Size column, Size part);
  Answers fold_ops(const ArrayRef& x, const ArrayRef* y, const Windows& windows,
                   const Options& options, const Joined& all, Size column);
  Answers fold_column(const Joined& all, Size column);
  void put(const Answers& from, const Joined& all, Size column, Size width, Answers& to) const;

  Query query_;
  // Its sums of decimals, and its other ops, which are quicker alone. One of them may be missing.
  std::optional<Query> parts_[2];
  DType dtype_;
  RowWindows windows_;
  Size columns_, least_;
  Windows rule_;
  RowWindows::Closed closed_;
  Int128 span_;
  bool pairs_;
  Answers none_;
  std::vector<Tail> tails_;
  Size bytes_ = 0;
};

}  // namespace onefold::io
