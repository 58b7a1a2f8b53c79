#include "cli/part_numbers.hpp"

#include <algorithm>
#include <charconv>

#include "onefold/error.hpp"

namespace onefold::cli {

bool read_number(std::string_view s, uint64_t& n) {
  const auto [stop, error] = std::from_chars(s.data(), s.data() + s.size(), n);
  return error == std::errc() && stop == s.data() + s.size() && n < uint64_t{1} << 62;
}

bool read_part_numbers(std::string_view text, Ranges& parts) {
  for (;;) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, comma);
    std::size_t end = word.find(".."), skip = 2;
    if (end == word.npos) end = word.find('-'), skip = 1;
    uint64_t first = 0, last = 0;
    if (!read_number(word.substr(0, end), first)) return false;
    if (end == word.npos) {
      last = first;
    } else if (!read_number(word.substr(end + skip), last) || last < first) {
      return false;
    }
    try {
      parts.unite({first, last + 1});
    } catch (const Error&) {
      return false;  // a part is listed twice
    }
    if (comma == text.size()) return true;
    text.remove_prefix(comma + 1);
  }
}

Ranges parse_parts(const char* option, const std::string& text) {
  Ranges parts;
  if (!read_part_numbers(text, parts)) {
    throw Error(ErrorCode::bad_option, "--" + std::string(option) + " \"" + text +
                                           "\" is not valid; write part numbers and ranges, each "
                                           "part once, such as 1..1000 or 1-3,7");
  }
  return parts;
}

std::string parts_text(const Ranges& parts) {
  std::string text;
  for (const auto& [first, end] : parts) {
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (end - first > 1) text += "-" + std::to_string(end - 1);
  }
  return text;
}

Ranges without(const Ranges& a, const Ranges& b) {
  Ranges rest;
  auto next = b.begin();
  for (const auto& [begin, end] : a) {
    while (next != b.end() && next->end <= begin) ++next;
    Size first = begin;
    for (auto taken = next; taken != b.end() && taken->begin < end; ++taken) {
      rest.append(first, taken->begin);
      first = taken->end;
    }
    rest.append(first, end);
  }
  return rest;
}

}  // namespace onefold::cli
