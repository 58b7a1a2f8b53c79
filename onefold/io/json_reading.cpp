// Recognises JSON Lines, and plans how those of a table are read.
#include <algorithm>

#include "onefold/io/json_lines.hpp"
#include "onefold/io/table_fields.hpp"

namespace onefold::io {
namespace {

// Returns the first byte of a text that is no white space, and the next one; 0 if there is none.
std::pair<char, char> first_two(std::string_view text) {
  char found[2] = {};
  std::size_t at = 0;
  for (char& c : found) {
    at = text.find_first_not_of(" \t\r\n", at);
    if (at == text.npos) break;
    c = text[at++];
  }
  return {found[0], found[1]};
}

}  // namespace

bool begins_json_lines(std::string_view text) {
  const auto [first, second] = first_two(text);
  return first == '{' && (second == '"' || second == '}' || second == 0);
}
bool begins_json_array(std::string_view text) {
  const auto [first, second] = first_two(text);
  if (first != '[' || second != ']') return first == '[' && second == '{';
  // [] alone; [],[x] is no JSON
  return text.find_first_not_of(" \t\r\n", text.find(']') + 1) == text.npos;
}

bool begins_printed_array(std::string_view text) {
  std::size_t depth = 0, at = 0;
  const auto skip = [&](std::string_view blanks) {
    at = std::min(text.find_first_not_of(blanks, at), text.size());
  };
  for (skip(" \t\r\n"); at < text.size() && text[at] == '['; skip(" \t\r\n")) ++depth, ++at;
  if (depth == 0 || at == text.size()) return depth > 0;
  if (text[at] == '{' || text[at] == '"') return true;
  const bool empty = text[at] == ']';
  const std::size_t end = std::min(text.find_first_of(" \t\r\n,]", at), text.size());
  const std::string_view word = text.substr(at, end - at);
  constexpr std::string_view words[] = {"true", "false", "null", "True", "False", "None"};
  const bool is_word = std::ranges::find(words, word) != std::end(words);
  if (!empty && !is_word && !is_number(std::string(word), {})) return false;
  // A header such as [1],[2] goes on behind its first bracket.
  for (at = end, skip(" \t"); at < text.size() && text[at] == ']'; skip(" \t")) {
    ++at;
    if (--depth == 0) return (skip(" \t\r"), at == text.size() || text[at] == '\n');
  }
  return true;
}

JsonReading::JsonReading(const Table& whole) : table(whole) {
  table.columns.clear();
  table.members.clear();
  std::vector<std::size_t> inner(whole.columns.size());
  for (std::size_t k = 0; k < whole.columns.size(); ++k) {
    const bool key = std::find(whole.by.begin(), whole.by.end(), k) != whole.by.end();
    const bool needed = key || whole.columns[k].slot >= 0;
    inner[k] = outer.size();
    members.add(whole.members[k], needed ? outer.size() : JsonMembers::skipped);
    if (!needed) continue;
    outer.push_back(k);
    table.columns.push_back(whole.columns[k]);
  }
  for (std::size_t& k : table.by) k = inner[k];
}

}  // namespace onefold::io
