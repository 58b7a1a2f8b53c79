#include "onefold/io/table_fields.hpp"

#include <algorithm>
#include <cstring>

namespace onefold::io {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trim(std::string_view s) {
  while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

bool begins_field(const char* text, std::size_t i, char delimiter) {
  if (delimiter == ' ') return i == 0 || std::strchr(" \t\r\n", text[i - 1]) != nullptr;
  while (i > 0 && text[i - 1] == ' ') --i;
  if (i == 0 || text[i - 1] == '\n') return true;
  return delimiter != 0 ? text[i - 1] == delimiter
                        : std::string_view("\t,;|").find(text[i - 1]) != std::string_view::npos;
}

namespace {

// Calls f(i) for each byte outside of quotes, as long as it returns true.
template <class F>
void over_unquoted(const char* text, std::size_t n, char delimiter, F f) {
  bool quoted = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (quoted) {
      if (text[i] != '"') continue;
      if (i + 1 < n && text[i + 1] == '"') {
        ++i;
      } else {
        quoted = false;
      }
    } else if (text[i] == '"' && begins_field(text, i, delimiter)) {
      quoted = true;
    } else if (!f(i)) {
      return;
    }
  }
}

}  // namespace

bool ends_lines_at_cr(std::string_view text) {
  bool lone = false;
  over_unquoted(text.data(), text.size(), 0, [&](std::size_t i) {
    lone = text[i] == '\r' && i + 1 < text.size() && text[i + 1] != '\n';
    return text[i] != '\r' && text[i] != '\n';
  });
  return lone;
}

void end_lines_at_cr(char* text, std::size_t n, char delimiter, bool whole) {
  over_unquoted(text, n, delimiter, [&](std::size_t i) {
    const bool lone = i + 1 < n ? text[i + 1] != '\n' : whole;
    if (text[i] == '\r' && lone) text[i] = '\n';
    return true;
  });
}

void blank_comments(char* text, std::size_t n, char delimiter, char mark, bool whole) {
  over_unquoted(text, n, delimiter, [&](std::size_t i) {
    if (text[i] != mark) return true;
    std::size_t from = i;
    while (from > 0 && (text[from - 1] == ' ' || text[from - 1] == '\t')) --from;
    if (from > 0 && text[from - 1] != '\n') return true;
    const void* const found = std::memchr(text + i, '\n', n - i);
    if (found == nullptr && !whole) return false;
    const char* const end = found == nullptr ? text + n : static_cast<const char*>(found);
    std::fill(text + i, text + (end - text), ' ');
    return true;
  });
}

std::size_t blank_copies(char* text, std::size_t n, char delimiter, std::string_view copy,
                         bool whole) {
  std::size_t found = 0;
  if (std::string_view(text, n).find(copy) == std::string_view::npos) return found;
  std::size_t begin = 0;  // of the line
  over_unquoted(text, n, delimiter, [&](std::size_t i) {
    if (text[i] == '\n') begin = i + 1;
    // The first byte of a line that is no blank decides.
    if (is_blank(text[i]) || !trim({text + begin, i - begin}).empty()) return true;
    const void* const newline = std::memchr(text + i, '\n', n - i);
    if (newline == nullptr && !whole) return false;
    const char* const end = newline == nullptr ? text + n : static_cast<const char*>(newline);
    if (trim({text + i, static_cast<std::size_t>(end - text) - i}) != copy) return true;
    std::fill(text + i, text + (end - text), ' ');
    ++found;
    return true;
  });
  return found;
}

bool split(std::string_view text, std::size_t& at, char delimiter, Line& line) {
  line.clear();
  const auto is_delimiter = [&](char c) {
    return delimiter == ' ' ? c == ' ' || c == '\t' : c == delimiter;
  };
  // Blanks may surround a delimiter that is not a blank itself.
  const auto skip_blanks = [&] {
    while (at < text.size() && is_blank(text[at]) && (delimiter == ' ' || text[at] != delimiter))
      ++at;
  };
  for (;;) {
    skip_blanks();
    Field field;
    if (delimiter == ' ' && (at == text.size() || text[at] == '\n')) break;
    if (at < text.size() && text[at] == '"') {
      field.quoted = true;
      for (++at;; ++at) {
        if (at == text.size()) return false;
        if (text[at] != '"') {
          field.text += text[at];
        } else if (at + 1 < text.size() && text[at + 1] == '"') {
          field.text += text[++at];
        } else {
          break;
        }
      }
      ++at;
    }
    const std::size_t from = at;
    while (at < text.size() && text[at] != '\n' && !is_delimiter(text[at])) ++at;
    const std::string_view rest = trim(text.substr(from, at - from));
    field.stray = field.quoted ? !rest.empty() : rest.find('"') != rest.npos;
    field.text += rest;
    line.push_back(std::move(field));
    if (delimiter == ' ') {
      skip_blanks();
      if (at < text.size() && text[at] != '\n') continue;
      break;
    }
    if (at == text.size() || text[at] == '\n') break;
    ++at;
  }
  if (at < text.size()) ++at;
  // A line of blanks has no field.
  if (line.size() == 1 && line[0].text.empty() && !line[0].quoted) line.clear();
  return true;
}

bool all_digits(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view without_sign(std::string_view s) {
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) s.remove_prefix(1);
  return s;
}

bool has_groups(std::string_view field, char mark, char decimal) {
  std::string_view s = without_sign(field);
  s = s.substr(0, s.find(decimal));
  std::size_t at = s.find(mark);
  if (at == s.npos || at == 0 || at > 3 || s[0] == '0' || !all_digits(s.substr(0, at))) {
    return false;
  }
  for (; at < s.size(); at += 4) {
    if (s[at] != mark || s.size() - at < 4 || !all_digits(s.substr(at + 1, 3))) return false;
  }
  return true;
}

bool has_comma(std::string_view field) {
  const std::string_view s = without_sign(field);
  const std::size_t at = s.find(',');
  if (at == s.npos || !all_digits(s.substr(at + 1))) return false;
  const std::string_view whole = s.substr(0, at);
  const auto groups_it = [&](char mark) { return has_groups(whole, mark, ','); };
  constexpr std::string_view marks = " .'_";
  return all_digits(whole) || std::any_of(marks.begin(), marks.end(), groups_it);
}

std::string without_groups(const std::string& field, char mark, char decimal) {
  if (!has_groups(field, mark, decimal)) return field;
  const std::size_t end = std::min(field.find(decimal), field.size());
  if (field.find(mark, end) != field.npos) return field;
  std::string plain = field;
  std::erase(plain, mark);
  return plain;
}

namespace {

// Blanks that do not break a line: U+00A0, U+202F and U+2009 in UTF-8.
constexpr std::string_view hard_blanks[] = {"\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89"};
// Signs of currency and percent, in UTF-8.
constexpr std::string_view loose_signs[] = {"$", "%", "\xc2\xa2", "\xc2\xa3", "\xc2\xa5"};
// U+20A0 to U+20BF, such as the euro.
constexpr std::string_view more_currencies = "\xe2\x82";

// Turns hard blanks into blanks.
std::string with_soft_blanks(std::string field) {
  if (std::all_of(field.begin(), field.end(), [](char c) { return (c & 0x80) == 0; })) return field;
  for (const std::string_view blank : hard_blanks) {
    for (std::size_t at = field.find(blank); at != field.npos; at = field.find(blank, at)) {
      field.replace(at, blank.size(), " ");
    }
  }
  return field;
}

// Returns the number of bytes of the sign with which s begins, or ends; 0: none.
std::size_t loose_sign(std::string_view s, bool at_end) {
  const auto has = [&](std::string_view sign) {
    return at_end ? s.ends_with(sign) : s.starts_with(sign);
  };
  for (const std::string_view sign : loose_signs) {
    if (has(sign)) return sign.size();
  }
  if (s.size() < 3) return 0;
  return (at_end ? s.substr(s.size() - 3) : s).starts_with(more_currencies) ? 3 : 0;
}

// Returns a field without a sign of currency before its number, and without one, or of percent,
// behind it. A minus may stand before the sign.
std::string without_loose_signs(const std::string& field) {
  std::string_view s = trim(field);
  const std::string_view sign = s.substr(0, s.size() - without_sign(s).size());
  s = trim(without_sign(s));
  if (const std::size_t n = s.starts_with('%') ? 0 : loose_sign(s, false); n > 0) {
    s = trim(s.substr(n));
  } else if (const std::size_t m = loose_sign(s, true); m > 0) {
    s = trim(s.substr(0, s.size() - m));
  }
  if (!sign.empty() && without_sign(s).size() != s.size()) return field;
  return std::string(sign).append(s);
}

}  // namespace

std::string without_all_loose_signs(std::string_view text) {
  const std::string soft = with_soft_blanks(std::string(text));
  std::string without;
  for (std::size_t at = 0; at < soft.size();) {
    const std::size_t n = loose_sign(std::string_view(soft).substr(at), false);
    if (n == 0) without += soft[at];
    at += std::max<std::size_t>(n, 1);
  }
  return without;
}

std::optional<std::string> with_plain_marks(std::string field, const Table& table) {
  if (table.loose || table.thousands == ' ') field = with_soft_blanks(std::move(field));
  if (table.loose) field = without_loose_signs(field);
  if (table.thousands != 0) field = without_groups(field, table.thousands, table.decimal);
  if (table.decimal != '.') {
    if (field.find('.') != field.npos) return {};
    std::replace(field.begin(), field.end(), table.decimal, '.');
  }
  return field;
}

template <class T>
NumberError number_of(std::string field, const Table& table, T& value, bool exact) {
  const std::optional<std::string> plain = with_plain_marks(std::move(field), table);
  if (!plain || plain->empty() || std::any_of(plain->begin(), plain->end(), is_separator)) {
    return NumberError::not_a_number;
  }
  const char* stop = nullptr;
  const char* const end = plain->data() + plain->size();
  const NumberError e = parse_number(plain->data(), end, exact, value, stop);
  return e == NumberError::none && stop != end ? NumberError::not_a_number : e;
}
template NumberError number_of(std::string, const Table&, double&, bool);
template NumberError number_of(std::string, const Table&, int64_t&, bool);
template NumberError number_of(std::string, const Table&, uint64_t&, bool);

bool is_number(const std::string& field, const Table& table) {
  double value = 0;
  return number_of(field, table, value, false) != NumberError::not_a_number;
}

bool is_broken_number(std::string_view field) {
  std::string_view s = field.substr(std::min(field.find_first_not_of("+-"), field.size()));
  if (s.starts_with("0x") || s.starts_with("0X")) {
    return s.size() > 2 && s.find_first_not_of("0123456789abcdefABCDEF", 2) == s.npos;
  }
  return s.find_first_of("0123456789") < 2 && s.find_first_not_of("0123456789.,eE+'_") == s.npos;
}

namespace {

// Whether a field is one of the words, which are in lower case; the field may be in any case.
template <std::size_t n>
bool is_one_of(const std::string_view (&words)[n], std::string_view field) {
  if (field.size() > 5) return false;
  char lower[5];
  for (std::size_t i = 0; i < field.size(); ++i) {
    lower[i] = field[i] >= 'A' && field[i] <= 'Z' ? static_cast<char>(field[i] + 32) : field[i];
  }
  const std::string_view word(lower, field.size());
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

}  // namespace

bool is_missing(std::string_view field, const std::vector<std::string>& told) {
  constexpr std::string_view known[] = {"", "-", "na", "n/a", "null", "none"};
  return is_one_of(known, field) || std::find(told.begin(), told.end(), field) != told.end();
}

bool is_truth(std::string_view field) {
  constexpr std::string_view known[] = {"true", "false"};
  return is_one_of(known, field);
}

}  // namespace onefold::io
