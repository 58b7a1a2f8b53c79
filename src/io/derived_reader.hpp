// The reader of a derived table, and what it needs to know.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "io/expression.hpp"
#include "io/row_reader.hpp"

namespace onefold::io {

// What --where and --let mean for one table. Columns from `base` on are those of --let.
struct Derivation {
  std::optional<Node> where;
  std::vector<Node> lets;
  std::size_t base = 0;
  bool decimals = false;
  Table inner;                // folds and has as keys what is needed
  std::vector<Kind> kinds;    // of all columns
  std::vector<bool> numbers;  // of its columns: an expression takes them as numbers
};

std::unique_ptr<RowReader> open_derived(File& file, std::shared_ptr<const Derivation> derivation,
                                        const Table& table, Integers integers, Size piece_bytes);

}  // namespace onefold::io
