// The reader of a derived table (derived.hpp), and what it needs to know.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "onefold/io/expression.hpp"
#include "onefold/io/row_reader.hpp"

namespace onefold::io {

// The meaning of --where and --let for one table. Columns from number `base` on come from --let.
struct Derivation {
  std::optional<Node> where;
  std::vector<Node> lets;
  std::size_t base = 0;
  bool decimals = false;
  bool without_nan = false;  // NaN is left out
  Table inner;  // the table that is read: it folds the needed columns, or has them as keys
  std::vector<Kind> kinds;  // the kind of each column
  // For each column of the inner table: whether an expression uses it as a number, and whether its
  // whole numbers are integers (expression_values.hpp)
  std::vector<bool> numbers, whole;
};

//   dtype  f64, or i64 or u64: then values that are no such integers are errors
std::unique_ptr<RowReader> open_derived(File& file, std::shared_ptr<const Derivation> derivation,
                                        const Table& table, DType dtype, Integers integers,
                                        Size piece_bytes);

}  // namespace onefold::io
