// Gathers numbers that come in C order before their shape is known. They may be one line or a
// table, so both are gathered, as the axes need: the states of the table's rows or columns, and one
// state of all numbers. The end of the input shows which one is right; the other is dropped.
#pragma once

#include <optional>
#include <span>

#include "api/output.hpp"
#include "group/state_table.hpp"
#include "plan/decimal_terms.hpp"

namespace onefold::io {

// The states that a table needs for the folded axes. For a single line of numbers axis 0 or -1
// means the whole line.
enum class Mode { whole, each, columns, rows };
Mode mode_of(const Axes& axes);

class NumberFold {
 public:
  //   plan    of numbers in one line
  //   fit     states that may be open
  //   output  takes rows as they end, and single numbers
  NumberFold(const Plan& plan, const Axes& axes, Size fit, Output& output);

  // All files come from their begin on: for columns from `strip` on, and first for the rest too.
  void begin(Size strip);
  // The next file, which may go on with the table before it.
  void begin_file(bool first);
  // The next n numbers of x and, of two arrays, y.
  //   columns  as NumberStream has it
  //   terms    what they spell beyond f64, by rising places in x
  void add(const std::byte* x, const std::byte* y, Size n, Size columns,
           std::span<const DecimalTerm> terms = {});
  // n numbers that are in a state of their own, which counts from 0.
  void add_line(int64_t* state, Size n);
  void end_file(const Dims& shape);

  // The file that has ended, and those before it, are one table; so many columns wide.
  bool is_table() const { return table_; }
  Size width() const { return width_; }
  // Rounds the gathered states to `output`.
  void put_whole() { output_.put(plan_, 0, whole_[0]); }
  void put_columns();

  // n numbers that stand side by side, into one state; `first` is the index of the first.
  //   terms  what they spell beyond f64; the first has the place `at`
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
  bool first_open_ = false;            // it is the first one, and its end has not come
  std::optional<StateTable> columns_;  // states of the strip's columns
  Size strip_ = 0;                     // its first column
  bool table_ = true;                  // all that came may be a table
  Size width_ = 0;
  Size rows_ = 0;     // rows of the files before
  Size before_ = 0;   // numbers of the files before
  Size at_ = 0;       // numbers of this file
  Size answers_ = 0;  // put so far
};

}  // namespace onefold::io
