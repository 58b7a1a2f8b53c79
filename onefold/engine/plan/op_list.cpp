#include "onefold/engine/plan/op_list.hpp"

#include <algorithm>

#include "onefold/engine/comma_list.hpp"
#include "onefold/error.hpp"

namespace onefold {

std::string names_of(std::span<const OpRow* const> ops) {
  std::string s;
  const OpRow* last = nullptr;  // several quantiles have one name
  for (const OpRow* op : ops) {
    if (op != last) s += (s.empty() ? "" : ",") + std::string(op->name);
    last = op;
  }
  return s;
}

Accumulators needs_of(std::span<const OpRow* const> ops) {
  Accumulators needs;
  for (const OpRow* op : ops) needs = needs | op->about->needs;
  return needs;
}

std::vector<const OpRow*> parse_ops(std::string_view text) {
  std::vector<const OpRow*> ops;
  for_each_word(text, [&](std::string_view name) {
    if (name.empty()) {
      throw Error(ErrorCode::bad_option,
                  "\"" + std::string(text) + "\" has an empty op name; write OP or OP,OP");
    }
    const OpRow& op = find_op(name);
    if (std::find(ops.begin(), ops.end(), &op) != ops.end()) {
      throw Error(ErrorCode::bad_option,
                  "\"" + std::string(text) + "\" names " + op.name + " twice; write each op once");
    }
    ops.push_back(&op);
  });
  return ops;
}

}  // namespace onefold
