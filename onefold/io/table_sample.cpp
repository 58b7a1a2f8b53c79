#include "onefold/io/table_sample.hpp"

#include <algorithm>

#include "onefold/io/name_list.hpp"
#include "onefold/io/number_names.hpp"
#include "onefold/io/time_text.hpp"

namespace onefold::io {

std::size_t Sample::first() const {
  std::size_t k = 0;
  while (k < lines.size() && lines[k].empty()) ++k;
  return k;
}

Sample cut(std::string_view text, bool whole, char delimiter, std::size_t most) {
  Sample sample;
  Line line;
  for (std::size_t at = 0; at < text.size() && sample.rows < most;) {
    const std::size_t from = at;
    if (!split(text, at, delimiter, line)) break;
    const bool ended = at > from && text[at - 1] == '\n';
    if (!ended && !whole) break;  // the line continues after the sample
    if (!line.empty()) {
      if (sample.fields == 0) sample.fields = line.size();
      sample.odd += line.size() != sample.fields;
      ++sample.rows;
      for (const Field& f : line) sample.stray |= f.stray;
    }
    sample.lines.push_back(line);
    sample.ends.push_back(at);
  }
  return sample;
}

std::optional<Sample> without_repeats(const Sample& sample, const Table& table) {
  const std::size_t first = sample.first();
  const auto is_word = [&](const Field& f) {
    return !is_number(f.text, table) && !is_missing(f.text, table.missing);
  };
  if (first == sample.lines.size() || std::ranges::none_of(sample.lines[first], is_word)) return {};
  const auto same = [](const Field& a, const Field& b) { return a.text == b.text; };
  std::optional<Sample> others;
  for (std::size_t l = first + 1; l < sample.lines.size(); ++l) {
    if (!std::ranges::equal(sample.lines[l], sample.lines[first], same)) continue;
    if (!others) others = sample;
    others->lines[l].clear();
  }
  return others;
}

namespace {

// Whether most fields of column k, in the lines from `from` on, are numbers; missing ones do not
// count.
bool holds_numbers(const Sample& sample, std::size_t k, std::size_t from, const Table& table) {
  std::size_t numbers = 0, others = 0;
  for (std::size_t l = from; l < sample.lines.size(); ++l) {
    if (sample.lines[l].size() != sample.fields) continue;
    const std::string& field = sample.lines[l][k].text;
    if (is_missing(field, table.missing)) continue;
    const bool number =
        is_number(field, table) || is_truth(field) || !hint_for(field, table).empty();
    ++(number ? numbers : others);
  }
  return numbers > 0 && numbers >= others;
}

// Whether a cell may be a column's name, and is no number. 1'000 is more likely a number with an
// unusual mark.
bool is_word_character(const std::string& cell, const Table& table) {
  return !is_number(cell, table) && !is_missing(cell, table.missing) && !is_truth(cell) &&
         hint_for(cell, table).empty() && !is_broken_number(cell);
}

// Whether a cell is surely a name, even beside numbers: it begins with a letter, and is no usual
// word for what is not known.
bool is_plain_name(const std::string& cell, const Table& table) {
  constexpr std::string_view unknown[] = {"unknown", "missing", "undefined",
                                          "error",   "n.a.",    "nil"};
  if (!is_word_character(cell, table)) return false;
  std::string lower;
  for (const char c : cell) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  const auto first = static_cast<unsigned char>(lower[0]);
  const bool letter = (first >= 'a' && first <= 'z') || first == '_' || first >= 0x80;
  return letter && std::find(std::begin(unknown), std::end(unknown), lower) == std::end(unknown);
}

// Whether a field is a number in quotes, although it needs none.
bool needless_quotes(const Field& f, const Table& table) {
  return f.quoted && is_number(f.text, table) && f.text.find_first_of(",; \t|") == f.text.npos;
}

// What stands below a cell of the first line; missing values are not looked at.
struct Below {
  std::size_t fields = 0, words = 0;
  bool time = false;    // the first field is a time
  bool quoted = false;  // the first field is in quotes
};
Below below(const Sample& sample, std::size_t k, std::size_t first, const Table& table) {
  Below found;
  for (std::size_t l = first + 1; l < sample.lines.size(); ++l) {
    if (k >= sample.lines[l].size()) continue;
    const std::string& field = sample.lines[l][k].text;
    if (is_missing(field, table.missing)) continue;
    if (++found.fields == 1) {
      found.time = parse_time(field).has_value();
      found.quoted = sample.lines[l][k].quoted;
    }
    found.words += is_word_character(field, table);
  }
  return found;
}

// Whether a field has a comma within its quotes.
bool quotes_commas(const Sample& sample) {
  for (const Line& line : sample.lines) {
    for (const Field& f : line) {
      if (f.quoted && f.text.find(',') != f.text.npos) return true;
    }
  }
  return false;
}

// Whether a column has numbers below the first line.
bool has_numbers(const Sample& sample, const Table& table) {
  for (std::size_t k = 0; k < sample.fields; ++k) {
    if (holds_numbers(sample, k, sample.first() + 1, table)) return true;
  }
  return false;
}

}  // namespace

char find_delimiter(std::string_view text, bool whole, const InputOptions& options) {
  const Table marks{
      .decimal = options.decimal, .thousands = options.thousands, .loose = options.loose};
  const bool quotes = text.find('"') != text.npos;
  const auto is_told = [&](char d) {
    return d == options.decimal || (d == options.thousands && (d != ',' || !quotes));
  };
  for (const bool strays : {false, true}) {
    const auto cuts = [&](const Sample& s) { return s.fields >= 2 && (strays || !s.stray); };
    // Of several that fit, one that gives columns of numbers: each line like "Austin, TX|900" has
    // the comma of a name.
    const auto fits = [&](const Sample& s) {
      return s.alike() || (options.skip_bad_lines && 2 * s.odd < s.rows);
    };
    char found = 0;
    for (const char d : {'\t', ',', ';', '|', ' '}) {
      if (is_told(d) || (d == ' ' && found != 0)) continue;
      const Sample sample = cut(text, whole, d, 20);
      if (!fits(sample) || !cuts(sample)) continue;
      if (has_numbers(sample, marks)) return d;
      if (found == 0) found = d;
    }
    if (found != 0) return found;
    // With decimal commas within quotes, commas elsewhere are delimiters.
    if (options.decimal == ',' && quotes) {
      const Sample sample = cut(text, whole, ',', 20);
      if (fits(sample) && cuts(sample) && quotes_commas(sample)) return ',';
    }
    // Lines of different lengths: the first line decides.
    for (const char d : {'\t', ',', ';', '|'}) {
      if (d != options.decimal && d != options.thousands && cuts(cut(text, whole, d, 1))) return d;
    }
  }
  return options.thousands == ' ' ? '\t' : ' ';  // the text has one column
}

bool finds_header(const Sample& sample, const Table& table) {
  const std::size_t first = sample.first();
  if (first == sample.lines.size()) return false;
  const Line& line = sample.lines[first];
  // A date above dates begins a row, whatever words are behind it.
  if (parse_time(line[0].text) && below(sample, 0, first, table).time) return false;
  const auto is_any_number = [&](const Field& f) { return is_number(f.text, table); };
  const bool numbers = std::any_of(line.begin(), line.end(), is_any_number);
  for (std::size_t k = 0; k < line.size(); ++k) {
    const std::string& cell = line[k].text;
    if (!(numbers ? is_plain_name(cell, table) : is_word_character(cell, table))) continue;
    if (holds_numbers(sample, k, first + 1, table)) return true;
  }
  if (line.size() < 2 || !line[0].text.empty() || !holds_numbers(sample, 0, first + 1, table)) {
    return false;
  }
  return number_names(line, 1) != NumberNames::none;
}

void leave_units_out(const File& file, Sample& sample, const InputOptions& options) {
  if (options.header == Header::no) {
    file.fail(ErrorCode::bad_option,
              "--units needs a table with a header, but --header no was passed");
  }
  const std::size_t first = sample.first();
  std::size_t units = first + 1;
  while (units < sample.lines.size() && sample.lines[units].empty()) ++units;
  if (units >= sample.lines.size()) {
    file.fail(ErrorCode::bad_option, "--units: there is no line below the header");
  }
  const auto erase = [&](auto& list, std::size_t from) {
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(from);
    list.erase(begin, begin + static_cast<std::ptrdiff_t>(units - first));
  };
  erase(sample.lines, first + 1);
  erase(sample.ends, first);
}

bool begins_with_row(const Sample& sample, const Table& table) {
  const std::size_t first = sample.first();
  if (first == sample.lines.size() || sample.fields < 2) return false;
  const Line& line = sample.lines[first];
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (parse_time(line[k].text) && below(sample, k, first, table).time) return true;
  }
  // 1,Newark above 2,Jamaica
  std::size_t next = first + 1;
  while (next < sample.lines.size() && sample.lines[next].empty()) ++next;
  if (next == sample.lines.size() || sample.lines[next].empty()) return false;
  double here = 0, there = 0;
  const auto is_any_number = [&](const Field& f) { return is_number(f.text, table); };
  return number_of(line[0].text, table, here, false) == NumberError::none &&
         number_of(sample.lines[next][0].text, table, there, false) == NumberError::none &&
         there == here + 1 && std::none_of(line.begin() + 1, line.end(), is_any_number);
}

std::optional<std::size_t> name_in_first_line(const Sample& sample, const Table& table) {
  const std::size_t first = sample.first();
  if (first == sample.lines.size() || begins_with_row(sample, table)) return {};
  const Line& line = sample.lines[first];
  std::optional<std::size_t> found;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const std::string& cell = line[k].text;
    const Below b = below(sample, k, first, table);
    const bool above_words = b.fields > 0 && b.words == b.fields;
    const bool name = is_word_character(cell, table) || (above_words && is_number(cell, table)) ||
                      (k == 0 && cell.empty() && b.fields > 0) ||
                      (needless_quotes(line[k], table) && b.fields > 0 && !b.quoted);
    if (name && !found) found = k;
  }
  return found;
}

bool is_bare_header(const Sample& sample, const Table& table) {
  const std::size_t first = sample.first();
  const auto is_word_character = [&](const Field& f) {
    return !is_number(f.text, table) && !is_missing(f.text, table.missing);
  };
  const auto is_blank_line = [](const Line& line) { return line.empty(); };
  return first < sample.lines.size() && sample.fields >= 2 &&
         std::all_of(sample.lines[first].begin(), sample.lines[first].end(), is_word_character) &&
         std::all_of(sample.lines.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                     sample.lines.end(), is_blank_line);
}

bool has_numbers_and_words(const Line& header, const Table& table) {
  const auto numbers =
      std::ranges::count_if(header, [&](const Field& f) { return is_number(f.text, table); });
  return numbers > 0 && static_cast<std::size_t>(numbers) < header.size();
}

bool names_a_field(std::string_view list, const Sample& sample, const Table& table) {
  const std::size_t first = sample.first();
  if (first == sample.lines.size()) return false;
  for (const ListWord& word : words_of_list(list)) {
    for (const Field& f : sample.lines[first]) {
      const bool named = word.quoted ? f.text == word.text : matches(word.text, f.text);
      if (named && !is_missing(f.text, {}) && !is_number(f.text, table)) return true;
    }
  }
  return false;
}

bool begins_plainly(std::string_view text) {
  std::size_t at = text.find_first_not_of(" \t\r\n");
  if (at == text.npos) return true;
  const std::string_view line = text.substr(at, text.find('\n', at) - at);
  const Table plain;
  bool after_comma = true;
  for (std::size_t i = 0; i < line.size();) {
    if (line[i] == ',') {
      if (after_comma) return false;
      after_comma = true;
    }
    if (is_separator(line[i])) {
      ++i;
      continue;
    }
    std::size_t to = i;
    while (to < line.size() && !is_separator(line[to])) ++to;
    const bool cut = i + line.data() + (to - i) == text.data() + text.size();
    if (!is_number(std::string(line.substr(i, to - i)), plain) && !cut) return false;
    if (cut && line.find_first_of("0123456789", i) == line.npos &&
        !is_number(std::string(line.substr(i, to - i)), plain)) {
      return false;
    }
    after_comma = false;
    i = to;
  }
  return !after_comma;
}

void refuse_open_quote(const File& file, std::string_view text, bool whole, const Sample& sample) {
  const std::size_t end = sample.ends.empty() ? 0 : sample.ends.back();
  if (!whole || sample.rows >= sample_lines || end == text.size()) return;
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  file.fail(ErrorCode::bad_token, "line " + std::to_string(line + 1) + ": a quote is not closed");
}

void refuse_words(const File& file, const Sample& sample, const Table& table) {
  const std::size_t first = sample.first();
  if (sample.fields < 2 || first == sample.lines.size()) return;
  const Line& line = sample.lines[first];
  const auto word = std::find_if(line.begin(), line.end(), [&](const Field& f) {
    return !is_missing(f.text, {}) && !is_number(f.text, table);
  });
  if (word != line.end()) {
    refuse_name(file, sample, table, static_cast<std::size_t>(word - line.begin()));
  }
}

void refuse_name(const File& file, const Sample& sample, const Table& table, std::size_t column) {
  const std::size_t first = sample.first();
  const Line& line = sample.lines[first];
  const std::string& shown = line[column].text;
  file.fail(
      ErrorCode::bad_token,
      "line " + std::to_string(first + 1) + ", column " + std::to_string(column + 1) + ": " +
          quote_text(shown) +
          (is_number(shown, table) ? " is above text, or above fields without quotes; "
                                   : " is not a number; ") +
          (line[0].text.starts_with('#') ? "leave out comments with --comment '#' or grep -v '^#'; "
                                         : "") +
          "pass --header yes if this line has column names, --header no if it has values");
}

}  // namespace onefold::io
