#include "cli/alias.hpp"

#include <algorithm>
#include <vector>

#include "cli/writer.hpp"
#include "onefold/engine/comma_list.hpp"
#include "onefold/engine/plan/no_op.hpp"
#include "onefold/fold.hpp"

namespace onefold::cli {
namespace {

constexpr const char* divides = "which divides by n; --ddof 1 divides by n - 1";

// An op with an alias's name takes precedence, so that a new op needs no change here.
constexpr Alias list[] = {
    {"avg", "mean", ""},          {"average", "mean", ""},      {"stdev", "std", divides},
    {"stddev", "std", divides},   {"sd", "std", divides},       {"pstdev", "std", ""},
    {"variance", "var", divides}, {"pvar", "var", ""},          {"total", "sum", ""},
    {"add", "sum", ""},           {"len", "count", ""},         {"length", "count", ""},
    {"size", "count", ""},        {"n", "count", ""},           {"minimum", "min", ""},
    {"maximum", "max", ""},       {"amin", "min", ""},          {"amax", "max", ""},
    {"range", "ptp", ""},         {"absmax", "norminf", ""},    {"abssum", "norm1", ""},
    {"norm", "norm2", ""},        {"nnz", "count_nonzero", ""}, {"nonzero", "count_nonzero", ""},
    {"nans", "count_nan", ""},
};

const Alias* find_alias(std::string_view name) {
  for (const Alias& alias : list) {
    if (name == alias.name) return &alias;
  }
  return nullptr;
}

}  // namespace

std::span<const Alias> aliases() { return list; }

bool is_op(std::string_view name) {
  const std::vector<std::string_view> ops = op_names();
  return std::find(ops.begin(), ops.end(), name) != ops.end();
}

std::string own_names(const std::string& ops) {
  std::string own;
  bool first = true;
  for (const std::string& word : comma_list(ops)) {
    if (!first) own += ',';
    first = false;
    if (!is_op(word)) {
      if (const std::string why = why_no_op(word); !why.empty()) {
        const bool verb = word == "median" || word == "quantile",
                   text = word == "mode" || word == "nunique";
        throw Error(ErrorCode::unknown_op,
                    why + (verb   ? "; onefold " + word + " FILE is a call of its own"
                           : text ? "; onefold text " + word + " FILE is a call of its own"
                                  : ""));
      }
      if (const Alias* alias = find_alias(word); alias != nullptr && is_op(alias->op)) {
        const std::string note = alias->note;
        print_error(word + " stands for " + alias->op + (note.empty() ? "" : ", " + note));
        own += alias->op;
        continue;
      }
    }
    own += word;
  }
  return own;
}

}  // namespace onefold::cli
