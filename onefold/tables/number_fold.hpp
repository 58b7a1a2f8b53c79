// Gathers numbers in C order before their shape is known. They may be one line or a table, so both
// are gathered as the axes need: states of rows or columns, and one state of all numbers. At the
// end of the input one of the two is right; the other is dropped.
#pragma once

#include <optional>
#include <span>

#include "onefold/engine/group/state_table.hpp"
#include "onefold/engine/plan/decimal_terms.hpp"
#include "onefold/engine/request/output.hpp"
#include "onefold/engine/request/peers.hpp"

namespace onefold::io {

// The states that a table needs for the folded axes. For a single line of numbers, axis 0 or -1 is
// the whole line.
enum class Mode { whole, each, columns, rows };
Mode mode_of(const Axes& axes);

class NumberFold {
 public:
  //   plan    for numbers in one line
  //   fit     the number of states that may be open at once
  //   output  takes each row's answer when the row ends, and single answers
  NumberFold(const Plan& plan, const Axes& axes, Size fit, Output& output);

  // Starts a pass over all files for the columns from `strip` on. Only the first pass also gathers
  // the state of all numbers.
  void begin(Size strip);
  // Starts the next file. It may continue the table of the file before it.
  void begin_file(bool first);
  // Adds the next n numbers of x and, if there are two arrays, of y.
  //   columns  see NumberStream
  //   terms    decimals that f64 cannot hold, by rising positions in x
  void add(const std::byte* x, const std::byte* y, Size n, Size columns,
           std::span<const DecimalTerm> terms = {});
  // Adds n numbers that have a state of their own, whose indices start at 0.
  void add_line(int64_t* state, Size n);
  void end_file(const Dims& shape);

  // Whether all files so far are one table; the table has as many columns as the file that ended.
  bool is_table() const { return table_; }
  Size width() const { return width_; }
  // Rounds the gathered states to `output`.
  void put_whole() { output_.put(plan_, 0, whole_[0]); }
  // Adds the numbers of the other ranks to those of the first one, rank after rank.
  void meet_ranks(Peers& peers);
  void put_columns();

  // Adds n contiguous numbers to one state; `first` is the index of the first number.
  //   terms  decimals that f64 cannot hold; the first number has position `at`
  static void gather_line(const Plan& plan, const void* x, const void* y, Size n, Size first,
                          int64_t* state, std::span<const DecimalTerm> terms = {}, Size at = 0);

 private:
  void add_each(const std::byte* x, const std::byte* y, Size n);
  void add_rows(const std::byte* x, const std::byte* y, Size n, Size columns);
  void add_columns(const std::byte* x, const std::byte* y, Size n, Size columns);
  void put(StateTable& states, Size n);

  const Plan& plan_;
  Mode mode_;
  Size fit_;
  Output& output_;
  Size bytes_;                          // bytes of a number
  std::span<const DecimalTerm> terms_;  // terms of the numbers that are being added

  StateTable whole_;  // the state of all numbers, as one line
  bool keeps_whole_;
  StateTable row_;                     // the state of the current row
  bool first_open_ = false;            // the first row has not ended
  std::optional<StateTable> columns_;  // states of the strip's columns
  Size strip_ = 0;                     // the first column of the strip
  bool table_ = true;                  // all input so far may be a table
  Size width_ = 0;
  Size rows_ = 0;     // number of rows in the files before
  Size before_ = 0;   // number of numbers in the files before
  Size at_ = 0;       // number of numbers in this file
  Size answers_ = 0;  // answers written so far
};

}  // namespace onefold::io
