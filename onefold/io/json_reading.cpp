// Recognises JSON Lines, and plans how those of a table are read.
#include <algorithm>

#include "onefold/io/json_lines.hpp"

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
  return first == '[' && second == '{';
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
