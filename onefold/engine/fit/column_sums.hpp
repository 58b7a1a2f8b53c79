// The exact sums of columns, of their squares, and of products of two columns.
//
//   x         (n, p): rows are observations, columns are variables; any strides, on the host
//   y         null, or one more column (n,), of x's type
//   memory    columns that do not lie in one piece are copied, 32,768 rows at a time
//   throws    shape_mismatch, type_mismatch, no_backend
#pragma once

#include <vector>

#include "onefold/engine/fit/big_integer.hpp"
#include "onefold/engine/state/state.hpp"
#include "onefold/states.hpp"

namespace onefold {

// A sum as a number: integer 2^exponent; the integer is odd, or 0.
struct ExactSum {
  BigInteger integer;
  int64_t exponent = 0;
};

class ColumnSums {
 public:
  // Sums of nothing, to which rows are added.
  ColumnSums(DType dtype, Size columns) : dtype_(dtype), columns_(columns), products_(columns) {}
  // Gathers the sums.
  //   where      how a message begins
  //   nan        omit: leaves out rows in which an element is NaN; otherwise these count
  //   threads, target  as in Options
  ColumnSums(const char* where, const ArrayRef& x, const ArrayRef* y, NanPolicy nan,
             const Options& options);

  // Adds rows, given as an array (columns, rows).
  //   options  .axes = -1, .threads, .target
  void add(const ArrayRef& columns, const Options& options);
  void merge(const ColumnSums& other);
  // Reads the states; call it before what follows, after the last rows.
  void finish();

  DType dtype() const { return dtype_; }
  Size rows() const { return rows_; }
  Size columns() const { return columns_; }
  // Whether some element of a column is NaN, or infinite.
  bool has_nan(Size column) const { return marks_[column].nan; }
  bool has_infinity(Size column) const { return marks_[column].infinite; }
  // The words of a column's sum and of its sum of squares.
  const int64_t* sum(Size column) const { return words_of(column, Accumulator::sum); }
  const int64_t* squares(Size column) const { return words_of(column, Accumulator::sumsq); }
  const int64_t* tally(Size column) const { return words_of(column, Accumulator::tally); }
  // Calls f(j, words) for the products of column i with each later column j: words of `dot`.
  template <class F>
  void for_products(Size i, const F& f) const {
    for (Size j = i + 1; j < columns_; ++j) {
      const State::Impl state = product(i, j);
      f(j, state.at(Accumulator::dot));
    }
  }

 private:
  struct Marks {
    bool nan = false, infinite = false;
  };
  State::Impl product(Size i, Size j) const;
  const int64_t* words_of(Size column, Accumulator a) const;

  DType dtype_;
  Size columns_, rows_ = 0;
  States sums_;                   // "sum,sumsq" of each column
  std::vector<States> products_;  // "dot" of column i and each later one
  Layout layout_;                 // of a column's state
  std::vector<int64_t> words_;    // the states of all columns
  std::vector<Marks> marks_;
};

// Reads the words of accumulator `a` of elements of type t.
ExactSum exact_sum(Accumulator a, DType t, const int64_t* words);

}  // namespace onefold
