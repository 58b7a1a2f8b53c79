// Splits and joins lists that users write, with commas between words.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace onefold {

// Calls f with each word, unchanged. An empty list has one word, which is empty.
template <class F>
void for_each_word(std::string_view list, F f) {
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    f(list.substr(at, comma - at));
    at = comma + 1;
  }
}

inline std::vector<std::string> comma_list(std::string_view list) {
  std::vector<std::string> words;
  for_each_word(list, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

inline std::string comma_joined(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ",") + word;
  return list;
}

}  // namespace onefold
