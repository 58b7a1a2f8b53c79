// Sorts groups by their keys and answers, for --sort and --top.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/tables/group_fold.hpp"

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

// Keeps these groups, each of them once, in this order.
void take_groups(Grouped& grouped, const std::vector<Size>& groups);

// Returns the groups sorted by their keys. Each part of the keys is compared by number if all are
// numbers there, by time if most different ones are times of one kind, else by bytes.
//   nulls   null_key stands for null, which comes last
//   key_of  returns the key of group g, joined as by join_key
std::vector<uint32_t> order_of_keys(Size groups, std::size_t parts, bool nulls,
                                    const std::function<std::string_view(Size g)>& key_of);

// Orders one part of keys: by their exact numbers if all of them are numbers; by time if most are
// times of one kind, and the others, such as NA, come last; else by their bytes.
class PartOrder {
 public:
  //   part   returns the part of group g
  //   nulls  null_key stands for null, which comes last
  PartOrder(Size groups, bool nulls, std::function<std::string_view(Size g)> part);

  // Returns the f64 nearest to the part of each group; empty if not all parts are numbers.
  const std::vector<double>& numbers() const { return numbers_; }
  // Returns a number for each group that ascends as its time does; empty if parts are no times.
  const std::vector<Int128>& times() const { return times_; }
  // Returns a negative number if a's part is before b's, 0 if both are equal.
  int compare(Size a, Size b) const;

 private:
  bool find_numbers(Size groups, bool nulls);
  void find_times(Size groups);

  std::function<std::string_view(Size g)> part_;
  std::vector<double> numbers_;
  std::vector<Int128> times_;
};

}  // namespace onefold::io
