// What the calls of agg are: the ops that can be called, and the columns that each takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onefold/engine/plan/alias.hpp"
#include "onefold/io/expression.hpp"
#include "onefold/tables/quantiles.hpp"

namespace onefold::io {

// Throws bad_option: "agg: why".
[[noreturn]] void refuse_call(const std::string& why);

// Returns the names of all ops that can be called, and their aliases.
std::vector<std::string> ops_of_calls();
// Replaces aliases by the ops that they stand for; the calls' names stay as they were written.
void own_ops(std::vector<OpCall>& calls);
// Returns the aliases in a list of calls, each once.
std::vector<const Alias*> aliases_of_calls(const std::string& list);

// Returns the quantile that an op's name means: median, p1 to p99.
std::optional<Quantile> quantile_named(const std::string& op);

// Returns the quantile of a call such as quantile(price, 0.9).
//   throws  bad_option: it is none
Quantile quantile_of(const OpCall& call);

// Whether an op is of texts, and not of numbers as well: nunique, mode.
bool is_op_of_texts_alone(const std::string& op);
bool is_end(const std::string& op);  // first, last

// Throws bad_option unless a call has that many parts.
void check_parts(const OpCall& call, std::size_t takes);

}  // namespace onefold::io
