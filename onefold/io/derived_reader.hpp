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
  Table inner;  // the table that is read: it folds the needed columns, or has them as keys
  std::vector<Kind> kinds;  // the kind of each column
  // For each column of the inner table: whether an expression uses it as a number
  std::vector<bool> numbers;
};

std::unique_ptr<RowReader> open_derived(File& file, std::shared_ptr<const Derivation> derivation,
                                        const Table& table, Integers integers, Size piece_bytes);

}  // namespace onefold::io
