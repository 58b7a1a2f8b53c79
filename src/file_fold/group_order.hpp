// Sorts groups by their keys and answers, for --sort and --top.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "file_fold/group_fold.hpp"

namespace onefold::io {

// The name of a column's answer in the header line above groups: "mean". If several columns are
// folded: "temp_mean".
std::string answer_name(const std::vector<std::string>& columns, Size column,
                        const std::string& op);

// Throws bad_option if a word of `order.sort` names neither a key nor an answer.
//   by, columns  names of the key columns and of the folded columns
//   ops          names of the answers of each folded column
void check_order(const GroupOrder& order, const std::vector<std::string>& by,
                 const std::vector<std::string>& columns, const std::vector<std::string>& ops);

// Names the answers as `order` says, sorts the groups and keeps the first `order.top`. Groups come
// in the order of their keys; equal groups keep it. Null, NaN and missing answers are last, also in
// falling order.
//   throws  as check_order
void sort_groups(Grouped& grouped, const GroupOrder& order);

// The groups in the order of their keys: for each part of a key by number if all are numbers, else
// by bytes.
//   nulls   whether null_key is no text, and last
//   key_of  the key of group g, joined as by join_key
std::vector<uint32_t> order_of_keys(Size groups, std::size_t parts, bool nulls,
                                    const std::function<std::string_view(Size g)>& key_of);

// Orders one part of keys: by their exact numbers if all of them are numbers, else by their bytes.
class PartOrder {
 public:
  //   part   returns the part of group g
  //   nulls  whether null_key is no text, and last
  PartOrder(Size groups, bool nulls, std::function<std::string_view(Size g)> part);

  // The f64 next to the part of each group; empty: not all parts are numbers.
  const std::vector<double>& numbers() const { return numbers_; }
  // Returns a negative number if a's part is before b's, 0 if both are equal.
  int compare(Size a, Size b) const;

 private:
  std::function<std::string_view(Size g)> part_;
  std::vector<double> numbers_;
};

}  // namespace onefold::io
