// Lists of ops: their names, and the accumulators that they need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/table.hpp"

namespace onefold {

// "mean,var" -> rows; throws unknown_op, bad_option for an empty or doubled name.
std::vector<const OpRow*> parse_ops(std::string_view ops);

// "mean,var", as messages name a request.
std::string names_of(std::span<const OpRow* const> ops);

// The accumulators that the ops need together.
Accumulators needs_of(std::span<const OpRow* const> ops);

}  // namespace onefold
