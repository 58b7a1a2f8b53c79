// Lists of ops: their names, and the accumulators that they need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onefold/engine/plan/table.hpp"

namespace onefold {

// Finds the rows of "mean,var"; throws unknown_op, or bad_option for an empty or doubled name.
std::vector<const OpRow*> parse_ops(std::string_view ops);

// Returns "mean,var", the name of a request in messages.
std::string names_of(std::span<const OpRow* const> ops);

// Returns the accumulators that all these ops need.
Accumulators needs_of(std::span<const OpRow* const> ops);

}  // namespace onefold
