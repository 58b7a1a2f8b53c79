// The keys of a piece of rows, as texts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onefold/core/dtype.hpp"
#include "onefold/io/arrow/plugin.hpp"
#include "onefold/io/row_reader.hpp"

namespace onefold::io::arrow {

// The keys of a piece, in one column.
struct KeyColumn {
  std::optional<DType> numbers;
  std::vector<arrow_plugin::Text> texts;
  std::vector<std::byte> raw;
  std::vector<unsigned char> present;
  std::vector<std::string> dates;  // in ISO's notation, instead of the texts; empty: there are none

  void append(Size row, std::string& key) const;
  uint64_t identity(Size row) const;
};

class ColumnKeys : public RowKeys {
 public:
  std::vector<KeyColumn> columns;

  void append(Size row, std::string& key) const override;
  uint64_t identity(Size row) const override {
    return columns.size() == 1 ? columns[0].identity(row) : 0;
  }
};

}  // namespace onefold::io::arrow
