#include "cli/alias.hpp"

#include <algorithm>
#include <vector>

#include "cli/suggest.hpp"
#include "cli/writer.hpp"
#include "onefold/engine/comma_list.hpp"
#include "onefold/engine/plan/no_op.hpp"
#include "onefold/fold.hpp"

namespace onefold::cli {
namespace {

// Refuses a word that is not an op, and names the command that has its answer.
[[noreturn]] void refuse_no_op(const NoOp& no, const std::string& word, const std::string& ops,
                               const std::string& file) {
  constexpr std::pair<std::string_view, std::string_view> scans[] = {
      {"cumsum", "sum"}, {"cummax", "max"}, {"cummin", "min"}, {"cummean", "mean"}};
  const bool alone = word == ops, verb = word == "median" || word == "quantile",
             text = word == "mode" || word == "nunique";
  const auto* const scan =
      std::ranges::find(scans, word, &std::pair<std::string_view, std::string_view>::first);
  std::string instead;
  if (alone && (verb || text)) {
    instead = "onefold " + std::string(text ? "text " : "") + word + " FILE";
  } else if (scan != std::end(scans)) {
    instead = "onefold " + std::string(scan->second) + " --cumulative " + file;
  } else if (instead = agg_instead(ops, file); !instead.empty()) {
    instead += ", where x is a column";
  }
  throw Error(ErrorCode::unknown_op,
              no.why + (instead.empty() ? no.instead : "; write " + instead));
}

}  // namespace

bool is_op(std::string_view name) {
  const std::vector<std::string_view> ops = op_names();
  return std::find(ops.begin(), ops.end(), name) != ops.end();
}

void say_alias(const Alias& alias) {
  const std::string note = alias.note;
  print_error(std::string(alias.name) + " is another name of " + alias.op +
              (note.empty() ? "" : ", " + note));
}

std::string own_names(const std::string& ops, const std::string& file) {
  std::string own;
  bool first = true;
  for (const std::string& word : comma_list(ops)) {
    if (!first) own += ',';
    first = false;
    if (!is_op(word)) {
      if (const NoOp no = why_no_op(word); !no.why.empty()) refuse_no_op(no, word, ops, file);
      if (const Alias* alias = find_alias(word); alias != nullptr && is_op(alias->op)) {
        say_alias(*alias);
        own += alias->op;
        continue;
      }
    }
    own += word;
  }
  return own;
}

}  // namespace onefold::cli
