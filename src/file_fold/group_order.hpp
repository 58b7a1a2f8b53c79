// --sort and --top: the order of groups by their keys and answers.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "file_fold/group_fold.hpp"

namespace onefold::io {

// The name of an answer of a column in the header above groups: "mean", or "temp_mean" where
// several columns are folded.
std::string answer_name(const std::vector<std::string>& columns, Size column,
                        const std::string& op);

// Throws bad_option: a word of `order.sort` names neither a key nor an answer.
//   by, columns  names of the columns of keys, and of those that are folded
//   ops          names of the answers of each of them
void check_order(const GroupOrder& order, const std::vector<std::string>& by,
                 const std::vector<std::string>& columns, const std::vector<std::string>& ops);

// Names the answers as `order` says, sorts groups, which are in the order of their keys, and keeps
// the first `order.top`. Equal ones stay in the order of their keys. Nulls, NaN and answers without
// a value stand last, also where the greatest stand first.
//   throws  as check_order
void sort_groups(Grouped& grouped, const GroupOrder& order);

// The numbers of all parts of keys, or nothing where one is no number.
//   part   of group g; null_key is infinite if `nulls`
std::vector<double> numbers_of_keys(Size groups, bool nulls,
                                    const std::function<std::string_view(Size g)>& part);

}  // namespace onefold::io
