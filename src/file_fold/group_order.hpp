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

// The numbers of all keys' parts; nothing if some part is no number.
//   part   returns the part of group g; null_key counts as infinite if `nulls`
std::vector<double> numbers_of_keys(Size groups, bool nulls,
                                    const std::function<std::string_view(Size g)>& part);

}  // namespace onefold::io
