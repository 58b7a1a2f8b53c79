// Splits a PTX text into words.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace onefold::lab::ptx {

struct Token {
  enum class Kind : uint8_t { word, number, text, mark, end };
  Kind kind = Kind::end;
  std::string_view text{};
  uint32_t line = 0;

  bool is(std::string_view s) const { return text == s && kind != Kind::text; }
};

// A word is an identifier, a register, a directive, or an opcode with its modifiers; marks are
// single characters. Comments are skipped.
inline std::vector<Token> tokens_of(std::string_view s) {
  std::vector<Token> all;
  uint32_t line = 1;
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.' ||
           c == '%' || c == ':';
  };
  for (std::size_t i = 0; i < s.size();) {
    const char c = s[i];
    if (c == '\n') ++line;
    if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\0') {
      ++i;
      continue;
    }
    if (s.substr(i, 2) == "//") {
      i = std::min(s.find('\n', i), s.size());
      continue;
    }
    if (s.substr(i, 2) == "/*") {
      const std::size_t end = std::min(s.find("*/", i), s.size());
      for (; i < end; ++i) line += s[i] == '\n';
      i = std::min(end + 2, s.size());
      continue;
    }
    std::size_t j = i + 1;
    Token::Kind kind = Token::Kind::mark;
    if (c == '"') {
      while (j < s.size() && s[j] != '"' && s[j] != '\n') ++j;
      all.push_back({Token::Kind::text, s.substr(i + 1, j - i - 1), line});
      i = std::min(j + 1, s.size());
      continue;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      kind = Token::Kind::number;
      const auto after_e = [&](std::size_t k) {  // such as 1.0e-5
        return (s[k] == '-' || s[k] == '+') && (s[k - 1] == 'e' || s[k - 1] == 'E') &&
               s.substr(i, 2) != "0x";
      };
      while (j < s.size() &&
             (std::isalnum(static_cast<unsigned char>(s[j])) != 0 || s[j] == '.' || after_e(j))) {
        ++j;
      }
    } else if (in_word(c) && c != ':') {
      kind = Token::Kind::word;
      while (j < s.size() && in_word(s[j])) {
        if (c == '.' && s[j] == '.') break;                // ".reg.b32" of inline assembly is two
        if (s[j] == ':' && s.substr(j, 2) != "::") break;  // a label; ".shared::cta" is a word
        j += s[j] == ':' ? 2 : 1;
      }
    }
    all.push_back({kind, s.substr(i, j - i), line});
    i = j;
  }
  all.push_back({Token::Kind::end, "", line});
  return all;
}

}  // namespace onefold::lab::ptx
