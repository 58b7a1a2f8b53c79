#include "onefold/tables/aggregate_ops.hpp"

#include <algorithm>

#include "onefold/engine/comma_list.hpp"
#include "onefold/io/expression_functions.hpp"
#include "onefold/io/table_fields.hpp"
#include "onefold/tables/text_fold.hpp"

namespace onefold::io {

namespace {

// Null: the word is not an alias, or it is also a call of agg or a function of expressions, which
// go first: total(sum(x)), length(city).
const Alias* alias_in_calls(std::string_view word) {
  const auto same = [&](const auto& known) { return word == known.name; };
  const bool known = word == "total" || std::ranges::any_of(op_rows(), same) ||
                     std::ranges::any_of(functions(), same);
  return known ? nullptr : find_alias(word);
}

}  // namespace

void refuse_call(const std::string& why) { throw Error(ErrorCode::bad_option, "agg: " + why); }

std::optional<Quantile> quantile_named(const std::string& op) {
  if (op == "median") return Quantile{{}, op};
  if (op.size() < 2 || op.size() > 3 || op[0] != 'p' || op[1] == '0') return {};
  if (op.find_first_not_of("0123456789", 1) != op.npos) return {};
  Quantile quantile = read_quantile("0." + std::string(3 - op.size(), '0') + op.substr(1));
  quantile.name = op;
  return quantile;
}

std::vector<std::string> ops_of_calls() {
  std::vector<std::string> names{"first", "fraction", "last", "median", "quantile", "total"};
  for (const OpRow& op : op_rows()) names.emplace_back(op.name);
  for (int p = 1; p < 100; ++p) names.push_back("p" + std::to_string(p));
  for (const std::string& op : comma_list(text_ops())) names.push_back(op);
  for (const Alias& alias : aliases()) {
    if (alias_in_calls(alias.name) != nullptr) names.emplace_back(alias.name);
  }
  return names;
}

void own_ops(std::vector<OpCall>& calls) {
  for (OpCall& call : calls) {
    if (const Alias* const alias = alias_in_calls(call.op)) call.op = alias->op;
  }
}

std::vector<const Alias*> aliases_of_calls(const std::string& list) {
  std::vector<OpCall> calls;
  parse_items("agg", list, ops_of_calls(), calls);
  std::vector<const Alias*> found;
  for (const OpCall& call : calls) {
    const Alias* const alias = alias_in_calls(call.op);
    if (alias != nullptr && std::ranges::find(found, alias) == found.end()) found.push_back(alias);
  }
  return found;
}

bool is_op_of_texts_alone(const std::string& op) {
  const std::vector<std::string> texts = comma_list(text_ops());
  const auto is_row = [&](const OpRow& row) { return op == row.name; };
  return std::ranges::find(texts, op) != texts.end() && std::ranges::none_of(op_rows(), is_row);
}

bool is_end(const std::string& op) { return op == "first" || op == "last"; }

void check_parts(const OpCall& call, std::size_t takes) {
  if (call.parts.size() == takes) return;
  refuse_call(call.name + ": " + call.op + " takes " +
              (call.op == "quantile"
                   ? "a column and a number from 0 to 1, such as quantile(price, 0.9)"
               : takes == 1 ? "one column"
                            : "two columns"));
}

Quantile quantile_of(const OpCall& call) {
  try {
    return read_quantile(call.parts[1].text);
  } catch (const Error&) {
    refuse_call(call.name + ": " + quote_text(call.parts[1].text) +
                " is not a decimal from 0 to 1 of at most 37 digits, such as 0.9");
  }
}

}  // namespace onefold::io
