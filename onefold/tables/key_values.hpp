// The keys of groups as values of expressions, as --where has the fields of a column.
//
//   number  all keys that are there are numbers; exact, of any length up to 2^116
//   truth   all are true and false
//   null    a key that is null; of files of text also an empty field, NA and the words of --missing
#pragma once

#include <string>
#include <vector>

#include "onefold/io/expression_values.hpp"
#include "onefold/tables/aggregate_plan.hpp"
#include "onefold/tables/group_fold.hpp"

namespace onefold::io {

class KeyValues {
 public:
  //   column  which part of each key
  //   plan    has the marks of the numbers and the words of --missing
  KeyValues(const Grouped& grouped, std::size_t column, const AggregatePlan& plan);
  Kind kind() const;
  Values read(Reads reads) const;

 private:
  bool is_missing(std::string_view key) const;
  void set_number(Values& values, Size g, const std::string& key) const;

  const Grouped& grouped_;
  std::size_t column_;
  Table marks_;
  std::vector<std::string> words_;  // of --missing
  std::vector<std::string> keys_;   // one for each group
  std::vector<bool> null_;
};

}  // namespace onefold::io
