// Finds the columns of an expression, and the functions that fit the kinds of their arguments; then
// computes it.
#include <algorithm>

#include "onefold/error.hpp"
#include "onefold/io/calendar.hpp"
#include "onefold/io/date_format.hpp"
#include "onefold/io/expression_functions.hpp"
#include "onefold/io/table_fields.hpp"
#include "onefold/io/time_text.hpp"
#include "onefold/io/time_zone.hpp"

namespace onefold::io {
namespace {

bool is_text_constant(const Node& node) {
  return node.what == Node::What::constant && node.kind == Kind::text;
}

// Returns whether a function can take an expression of this kind.
bool fits(const Node& part, char wanted, const Resolve& resolve) {
  const auto spelt = [&] { return part.what == Node::What::column && resolve(part.name).has_text; };
  switch (wanted) {
    case 'n':
      return part.kind != Kind::text;
    case 'b':
      return part.kind == Kind::truth;
    case 's':
      return part.kind == Kind::text;
    case 'd':
      return is_text_constant(part) ? is_number(part.value.texts[0], Table())
                                    : part.kind == Kind::number && spelt();
    default:
      return part.kind == Kind::text || spelt();
  }
}
char wanted_of(const Function& f, std::size_t k) {
  const bool open = f.takes.back() == '+';
  return k < f.takes.size() - (open ? 1 : 0) ? f.takes[k] : open ? f.takes[f.takes.size() - 2] : 0;
}

std::string word_of(const Node& part) {
  const std::string kind = part.kind == Kind::number  ? "a number"
                           : part.kind == Kind::truth ? "a truth value"
                                                      : "a text";
  if (part.what == Node::What::column) return kind + " (" + part.name + ")";
  return kind + (is_text_constant(part) ? " (" + quote_text(part.value.texts[0]) + ")" : "");
}

bool is_comparison(const std::string& name) {
  constexpr std::string_view names[] = {"==", "!=", "<", "<=", ">", ">=", "in"};
  return std::ranges::find(names, name) != std::end(names);
}

// Makes truths of the texts that are compared with a truth: paid == "TRUE".
void read_truths(std::vector<Node>& parts) {
  if (std::ranges::none_of(parts, [](const Node& p) { return p.kind == Kind::truth; })) return;
  for (Node& part : parts) {
    if (!is_text_constant(part) || !is_truth(part.value.texts[0])) continue;
    const bool is = (part.value.texts[0][0] | 32) == 't';
    part.kind = part.value.kind = Kind::truth;
    part.value.numbers = {is ? 1.0 : 0.0};
  }
}

// Refuses a constant text that is no time, if it is compared with a column of times.
void check_times(const Node& node, const std::string& option, const Resolve& resolve) {
  for (const Node& column : node.parts) {
    if (column.what != Node::What::column || !resolve(column.name).times) continue;
    for (const Node& part : node.parts) {
      if (!is_text_constant(part) || parse_time(part.value.texts[0])) continue;
      throw Error(ErrorCode::bad_option,
                  option + ": " + quote_text(part.value.texts[0]) +
                      " is not a time such as 2024-05-31 12:30:59, but column " + column.name +
                      " holds times");
    }
  }
}

// Refuses a format or a span that does not exist before any row is read.
void check_words(const Node& node, const std::string& option) {
  const auto word = [&](std::size_t k) -> const std::string* {
    return is_text_constant(node.parts[k]) ? &node.parts[k].value.texts[0] : nullptr;
  };
  const bool zone = node.name == "to_zone" || node.name == "in_zone";
  if ((zone || node.name == "strptime") && word(1) != nullptr) {
    try {
      zone ? static_cast<void>(TimeZone::find(*word(1))) : static_cast<void>(DateFormat(*word(1)));
    } catch (const Error& e) {
      throw Error(e.code(), option + ": " + e.what());
    }
  }
  if (node.name == "date_trunc" && word(0) != nullptr && !find_span(*word(0))) {
    throw Error(ErrorCode::bad_option, option + ": date_trunc: " + quote_text(*word(0)) +
                                           " is not a unit of time; choose one of " +
                                           std::string(span_names));
  }
}

}  // namespace

void bind_columns(Node& node, const std::string& option, const Resolve& resolve) {
  if (node.what == Node::What::constant) return;
  if (node.what == Node::What::column) {
    const Named named = resolve(node.name);
    node.column = named.column;
    node.kind = named.kind;
    return;
  }
  for (Node& part : node.parts) bind_columns(part, option, resolve);
  const bool compares = is_comparison(node.name);
  if (compares) read_truths(node.parts);
  for (const Function& f : functions()) {
    const std::size_t least = f.takes.back() == '+' ? f.takes.size() - 1 : f.takes.size();
    if (f.name != node.name || node.parts.size() < least) continue;
    if (f.takes.back() != '+' && node.parts.size() > least) continue;
    bool all = true;
    for (std::size_t k = 0; k < node.parts.size(); ++k) {
      all &= fits(node.parts[k], wanted_of(f, k), resolve);
    }
    if (!all) continue;
    for (std::size_t k = 0; k < node.parts.size(); ++k) {
      Node& part = node.parts[k];
      const char wanted = wanted_of(f, k);
      if ((wanted != 't' && wanted != 'd') || part.kind == Kind::text) continue;
      part.reads = wanted == 't' ? Reads::text : Reads::digits;
      part.kind = Kind::text;
    }
    if (compares) check_times(node, option, resolve);
    check_words(node, option);
    node.function = &f;
    node.kind = f.gives;
    return;
  }
  const auto is_number_column = [](const Node& part) {
    return part.what == Node::What::column && part.kind == Kind::number;
  };
  const auto column = std::ranges::find_if(node.parts, is_number_column);
  std::string hint;
  if (compares && column != node.parts.end()) {
    hint = "; compare it with a number, or write text(" + column->name + ") to compare it as text";
  }
  const auto is_text_column = [](const Node& part) {
    return part.what == Node::What::column && part.kind == Kind::text;
  };
  const auto is_number_constant = [](const Node& part) {
    return part.what == Node::What::constant && part.kind == Kind::number;
  };
  const auto text = std::ranges::find_if(node.parts, is_text_column);
  if (compares && text != node.parts.end() && std::ranges::any_of(node.parts, is_number_constant)) {
    hint = "; write the constant in quotes, or number(" + text->name + ")";
  }
  // x ** 2 has one argument, twice.
  const std::size_t n = node.power ? 1 : node.parts.size();
  std::string given = n == 0 ? "nothing" : "";
  for (std::size_t k = 0; k < n; ++k) {
    given += (k == 0 ? "" : k + 1 == n ? " and " : ", ") + word_of(node.parts[k]);
  }
  throw Error(ErrorCode::bad_option,
              option + ": " + (node.power ? "**" : node.name) + " does not take " + given + hint);
}

Values evaluate(const Node& node, Size rows, bool decimals, const ColumnValues& columns) {
  if (node.what == Node::What::constant) {
    Values value = node.value;
    if (!decimals && value.scientific) value.rests.clear();
    return value;
  }
  if (node.what == Node::What::column) return columns(node.column, node.reads);
  std::vector<Values> parts;
  parts.reserve(node.parts.size());
  for (const Node& part : node.parts) parts.push_back(evaluate(part, rows, decimals, columns));
  const Function& f = *node.function;
  const auto is_number = [](const Values& v) { return v.kind == Kind::number; };
  Values to{.kind = f.gives};
  to.constant = std::ranges::all_of(parts, &Values::constant);
  to.whole = std::ranges::all_of(
      parts, [&](const Values& v) { return !is_number(v) || (f.exact && v.whole); });
  const bool longs =
      !f.exact && std::ranges::any_of(parts, [](const Values& v) { return !v.rests.empty(); });
  const Size n = to.constant ? 1 : rows;
  to.resize(n);
  const Call call{parts, n, decimals, to, node.name};
  for (Size i = 0; i < n; ++i) {
    const auto is_null = [&](const Values& v) { return v.is_null(i); };
    if (!f.takes_nulls && std::ranges::any_of(parts, is_null)) {
      to.null[i] = 1;
    } else {
      if (longs) check_long(call, i);
      f.apply(call, i);
    }
  }
  return to;
}

}  // namespace onefold::io
