#include "onefold/io/table_marks.hpp"

#include <algorithm>

#include "onefold/io/name_list.hpp"
#include "onefold/io/table_fields.hpp"
#include "onefold/io/table_sample.hpp"

namespace onefold::io {
namespace {

[[noreturn]] void refuse_in_two_ways(const File& file, std::size_t line, std::string_view shown) {
  const bool blanks = has_groups(shown, ' ', ',');
  file.fail(ErrorCode::bad_token,
            "line " + std::to_string(line) + ": " + quote_text(shown.substr(0, 40)) +
                " can be read in two ways; pass " +
                (blanks ? "--thousands \" \" --decimal , if it is one number"
                        : "--thousands , or --decimal , if a comma is part of a number") +
                ", --delimiter , if it separates numbers");
}

[[noreturn]] void refuse_groups(const File& file, std::size_t line, std::string_view shown) {
  file.fail(ErrorCode::bad_token,
            "line " + std::to_string(line) + ": " + quote_text(shown.substr(0, 40)) +
                " looks like a number in groups of three digits; pass --thousands \" \", or "
                "--delimiter space if blanks separate numbers");
}

}  // namespace

void refuse_commas(const File& file, std::string_view text, bool whole, bool axes_told) {
  if (text.find(',') == text.npos) return;
  const Table plain;
  // Whether every line so far is: a number like 1,5; in groups, like 1,000; one number, some with a
  // comma.
  bool single = !axes_told, groups = true, lone = !axes_told;
  std::size_t shown_line = 0;
  std::string shown;
  const bool in_two_ways = over_lines(text, whole, [&](std::string_view line, std::size_t number) {
    if (line.empty()) return true;
    if (shown_line == 0 && line.find(',') != line.npos) {
      shown_line = number;
      shown = line.substr(0, 40);
    }
    const bool grouped = has_groups(line, ',', '.');
    groups &= grouped;
    single = single && has_comma(line);
    lone = lone && (grouped || has_comma(line) || is_number(std::string(line), plain));
    return single || groups || lone;
  });
  // If the user named axes, commas separate columns, unless each line is a number in groups of
  // three.
  if (in_two_ways && shown_line != 0) refuse_in_two_ways(file, shown_line, shown);
}

void refuse_blanks(const File& file, std::string_view text, bool whole) {
  const Table plain;
  // A number with the wrong number of groups is no line of a table.
  bool padded = false, ragged = false;
  std::ptrdiff_t blanks = -1;
  std::size_t shown_line = 0;
  std::string_view shown;
  const bool numbers = over_lines(text, whole, [&](std::string_view line, std::size_t number) {
    if (line.empty()) return true;
    const bool grouped = has_groups(line, ' ', '.');
    padded |= grouped && line.find(" 0") != line.npos;
    const std::ptrdiff_t here = std::count(line.begin(), line.end(), ' ');
    ragged |= blanks >= 0 && here != blanks;
    blanks = here;
    if (grouped && shown_line == 0) {
      shown_line = number;
      shown = line;
    }
    return grouped || is_number(std::string(line), plain);
  });
  if (numbers && shown_line != 0 && (padded || ragged)) refuse_groups(file, shown_line, shown);
}

namespace {

// Whether commas separate numbers, or other fields, if they are the delimiter of a line.
enum class WithCommas : uint8_t { none, numbers, others };

//   mark  the delimiter; 0: the line is one field
WithCommas with_commas(std::string_view text, char mark) {
  Line line;
  std::size_t at = 0;
  if (mark == 0) {
    line = {{.text = std::string(text)}};
  } else if (!split(text, at, mark, line)) {
    return WithCommas::others;
  }
  WithCommas found = WithCommas::none;
  for (const Field& f : line) {
    if (f.text.find(',') == f.text.npos || (f.quoted && !f.stray)) continue;
    if (!has_comma(f.text) && !has_groups(f.text, ',', '.')) return WithCommas::others;
    found = WithCommas::numbers;
  }
  return found;
}

// Returns whether a line has commas outside of quotes, and no blank beside one, as people write it
// within a name.
bool has_close_commas(std::string_view line) {
  bool quoted = false, found = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    quoted ^= line[at] == '"';
    if (quoted || line[at] != ',') continue;
    if ((at > 0 && is_blank(line[at - 1])) || (at + 1 < line.size() && is_blank(line[at + 1]))) {
      return false;
    }
    found = true;
  }
  return found;
}

// Returns whether --columns or --by names a column from the second on by its number.
bool numbers_a_later_column(const InputOptions& options) {
  const auto is_later = [](const ListWord& word) {
    return word.text.find_first_not_of("0123456789-") == word.text.npos && !word.text.empty() &&
           word.text != "1" && word.text != "1-1";
  };
  const std::vector<ListWord> columns = words_of_list(options.columns),
                              by = words_of_list(options.by);
  return std::any_of(columns.begin(), columns.end(), is_later) ||
         std::any_of(by.begin(), by.end(), is_later);
}

// Returns whether two neighbouring columns are like "1 000" in all lines from `begin` on: 1 to 3
// digits, then 3 digits, of which some begin with 0.
bool has_groups_of_columns(const Sample& sample, std::size_t begin) {
  const auto digits = [](std::string_view s) {
    return !s.empty() && s.find_first_not_of("0123456789") == s.npos ? s.size() : 0;
  };
  for (std::size_t k = 1; k < sample.fields; ++k) {
    bool padded = false, alike = true;
    for (std::size_t l = begin; l < sample.lines.size() && alike; ++l) {
      const Line& line = sample.lines[l];
      if (line.empty()) continue;
      if (k >= line.size()) return false;
      const std::string_view before = without_sign(line[k - 1].text), text = line[k].text;
      alike = digits(before) > 0 && digits(before) <= 3 && before[0] != '0' &&
              digits(text.substr(0, text.find_first_of(".,"))) == 3;
      padded |= text.starts_with('0');
    }
    if (alike && padded) return true;
  }
  return false;
}

// Refuses lines like "1 234,50" where only the decimal mark is known. The first may have a name.
void refuse_groups_of_lines(const File& file, std::string_view text, bool whole, char decimal) {
  std::size_t first = 0, shown_line = 0;
  std::string_view shown;
  const bool all = over_lines(text, whole, [&](std::string_view line, std::size_t number) {
    if (line.empty()) return true;
    if (first == 0) first = number;
    const bool grouped = has_groups(line, ' ', decimal);
    if (grouped && shown_line == 0) {
      shown_line = number;
      shown = line;
    }
    return grouped || number == first || is_number(std::string(line), Table{.decimal = decimal});
  });
  if (all && shown_line != 0) refuse_groups(file, shown_line, shown);
}

// Refuses blanks that cut numbers of thousands into two columns. The first line may have names.
void refuse_groups_of_columns(const File& file, std::string_view text, bool whole) {
  const Sample sample = cut(text, whole, ' ', sample_lines);
  if (!sample.alike()) return;
  for (const std::size_t begin : {sample.first(), sample.first() + 1}) {
    if (!has_groups_of_columns(sample, begin)) continue;
    const std::string_view rest = text.substr(begin == 0 ? 0 : sample.ends[begin - 1]);
    refuse_groups(file, begin + 1, trim(rest.substr(0, rest.find('\n'))));
  }
}

void refuse_plain_marks(const File& file, std::string_view text, bool whole,
                        const InputOptions& options, const Table& table, bool columns) {
  if (table.delimiter == ' ' && options.thousands == 0) {
    if (table.decimal != '.') refuse_groups_of_lines(file, text, whole, table.decimal);
    refuse_groups_of_columns(file, text, whole);
  }
  if (table.delimiter != ',' || table.decimal != '.') return;
  std::vector<std::string_view> lines;
  std::vector<std::size_t> numbers;
  over_lines(text, whole, [&](std::string_view line, std::size_t number) {
    if (line.empty()) return true;
    lines.push_back(line);
    numbers.push_back(number);
    return lines.size() < sample_lines;
  });
  if (lines.empty()) return;
  const auto has = [&](std::size_t k, char c) { return lines[k].find(c) != lines[k].npos; };
  // Splits the lines by other delimiters, which contain no comma; 0: each line is one number.
  for (const char mark : {';', '|', '\t', ' ', '\0'}) {
    const bool row = with_commas(lines[0], mark) == WithCommas::numbers;
    // Commas between names separate numbers, too, unless the other mark stands between names.
    const bool marked = mark != ' ' && mark != 0 && has(0, mark);
    if (!row && has_close_commas(lines[0]) && !marked) continue;
    const bool known = mark == 0 && (columns || (row && numbers_a_later_column(options)));
    bool all = true, groups = false;
    std::size_t shown = lines.size();
    for (std::size_t k = row || lines.size() == 1 ? 0 : 1; k < lines.size() && all; ++k) {
      const WithCommas commas = with_commas(lines[k], mark);
      const bool number = commas == WithCommas::numbers;
      all = number || (commas == WithCommas::none &&
                       (mark != 0 || is_number(std::string(lines[k]), Table())));
      if (number && (mark == 0 || has(k, mark))) shown = std::min(shown, k);
      groups |= mark == 0 && lines[k].find_first_of(" '_") != lines[k].npos;
    }
    if (all && shown < lines.size() && (!known || groups)) {
      refuse_in_two_ways(file, numbers[shown], lines[shown]);
    }
  }
}

}  // namespace

void refuse_marks(const File& file, std::string_view text, bool whole, const InputOptions& options,
                  const Table& table, bool columns) {
  if (!options.loose) return refuse_plain_marks(file, text, whole, options, table, columns);
  refuse_plain_marks(file, without_all_loose_signs(text), whole, options, table, columns);
}

}  // namespace onefold::io
