#include "onefold/io/name_list.hpp"

#include <algorithm>

#include "onefold/io/table_fields.hpp"

namespace onefold::io {
namespace {

// Returns the end of a quoted word, after its last quote and blanks: a comma or the end, or npos.
std::size_t end_of_quoted(std::string_view list, std::string& text) {
  std::size_t at = 1;
  for (;; ++at) {
    const std::size_t quote = list.find('"', at);
    if (quote == list.npos) return quote;
    text += list.substr(at, quote - at);
    at = quote + 1;
    if (at == list.size() || list[at] != '"') break;
    text += '"';
  }
  at = std::min(list.find_first_not_of(" \t", at), list.size());
  return at == list.size() || list[at] == ',' ? at : list.npos;
}

// Returns the end of another word: a comma that is not within parentheses, or the end.
std::size_t end_of_plain(std::string_view list) {
  int depth = 0;
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (list[at] == ',' && depth == 0) return at;
    depth += (list[at] == '(') - (list[at] == ')' && depth > 0);
  }
  // Without a closing parenthesis, one is an ordinary character.
  return depth == 0 ? list.size() : std::min(list.find(','), list.size());
}

}  // namespace

std::vector<ListWord> words_of_list(std::string_view list) {
  std::vector<ListWord> words;
  for (;;) {
    const std::size_t blanks = list.find_first_not_of(" \t");
    if (blanks != list.npos) list.remove_prefix(blanks);
    ListWord word;
    std::size_t end = list.npos;
    const std::size_t minus = list.starts_with("-\"") ? 1 : 0;  // of --sort
    if (list.substr(minus).starts_with('"')) end = end_of_quoted(list.substr(minus), word.text);
    word.quoted = end != list.npos;
    if (minus != 0 && word.quoted) {
      word.text.insert(0, 1, '-');
      end += minus;
    }
    if (!word.quoted) {  // without a closing quote, a quote is an ordinary character
      end = end_of_plain(list);
      word.text = trim(list.substr(0, end));
    }
    words.push_back(std::move(word));
    if (end == list.size()) return words;
    list.remove_prefix(end + 1);
  }
}

std::string list_of_names(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    list += list.empty() ? "\"" : ",\"";
    for (const char c : name) list += c == '"' ? std::string("\"\"") : std::string(1, c);
    list += '"';
  }
  return list;
}

bool matches(std::string_view pattern, std::string_view name) {
  // If a * has matched too little, it is tried again with one more character.
  std::size_t p = 0, n = 0, star = pattern.npos, after = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++after;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

bool is_one_column(std::string_view list) {
  const std::vector<ListWord> words = words_of_list(list);
  if (words.size() != 1 || words[0].text.empty()) return false;
  const std::string& text = words[0].text;
  const bool range = text.find_first_not_of("0123456789-") == text.npos &&
                     text.find_first_of("0123456789") != text.npos && text.find('-') != text.npos;
  return words[0].quoted || (!range && text.find('*') == text.npos);
}

}  // namespace onefold::io
