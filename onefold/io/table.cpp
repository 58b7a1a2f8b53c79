#include "onefold/io/table.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <unordered_set>

#include "onefold/engine/plan/nearest.hpp"
#include "onefold/io/name_list.hpp"
#include "onefold/io/table_sample.hpp"
#include "onefold/io/time_text.hpp"

namespace onefold::io {
namespace {

[[noreturn]] void refuse_no_column(const File& file, const std::string& word, const Table& table) {
  std::vector<std::string_view> names;
  std::string all;
  for (const Column& c : table.columns) {
    names.push_back(c.name);
    if (names.size() > 20) continue;
    all += all.empty() ? "" : ", ";
    for (const char k : c.name) all += static_cast<unsigned char>(k) < 0x20 || k == 0x7f ? '?' : k;
  }
  if (names.size() > 20) all += ", ...";
  const bool is_digits = word.find_first_not_of("0123456789-") == word.npos;
  const bool computes = word.find_first_of("(+*/") != word.npos;
  file.fail(ErrorCode::bad_option,
            "it has no column " + quote_text(word) + (is_digits ? "" : did_you_mean(word, names)) +
                "; its " + std::to_string(names.size()) + " are " + all +
                (computes ? "; --let 'k = " + word + "' makes a column that can be named" : "") +
                (is_digits && !table.header && !names.empty()
                     ? "; --header yes takes the first line for names"
                     : ""));
}

}  // namespace

void choose_column(Table& table, std::size_t k) {
  if (table.columns[k].slot >= 0) return;
  table.columns[k].slot = static_cast<int>(table.folded.size());
  table.folded.push_back(table.columns[k].name);
}

std::vector<std::string> labels_of(const Table& table, const std::vector<std::size_t>& columns) {
  std::unordered_set<std::string> names, taken;
  for (const std::size_t k : columns) names.insert(table.columns[k].name);
  std::vector<std::string> labels;
  for (const std::size_t k : columns) {
    std::string label = table.columns[k].name;
    // x.2 may be the name of another column.
    while (taken.contains(label) || (label != table.columns[k].name && names.contains(label))) {
      label += "." + std::to_string(k + 1);
    }
    taken.insert(label);
    labels.push_back(std::move(label));
  }
  return labels;
}

void tell_names_apart(Table& table) {
  std::vector<std::size_t> columns(table.folded.size());
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    if (table.columns[k].slot >= 0) columns[static_cast<std::size_t>(table.columns[k].slot)] = k;
  }
  table.folded = labels_of(table, columns);
}

std::vector<std::size_t> columns_of(const File& file, const std::string& list, const Table& table) {
  const auto number = [&](std::string_view s, std::size_t& n) {
    const auto [stop, error] = std::from_chars(s.data(), s.data() + s.size(), n);
    return error == std::errc() && stop == s.data() + s.size();
  };
  const std::size_t count = table.columns.size();
  std::vector<std::size_t> chosen;
  // If some columns have numbers as names, "2" is a name and "3" may be a position: never use both
  // in a list.
  std::string name_word, place_word;
  const auto place_of = [&](std::size_t name) {
    for (std::size_t k = 0; k < count && table.header; ++k) {
      if (table.columns[k].name == std::to_string(name)) return k + 1;
    }
    return name;
  };
  for (const auto& [word, quoted] : words_of_list(list)) {
    const auto named = [&, &name = word](const Column& c) {
      return table.header && c.name == name;
    };
    const auto found = std::find_if(table.columns.begin(), table.columns.end(), named);
    std::size_t first = 0, last = 0;
    const std::size_t dash = word.find('-');
    if (found != table.columns.end()) {
      if (std::find_if(found + 1, table.columns.end(), named) != table.columns.end()) {
        file.fail(ErrorCode::bad_option,
                  "two columns are called " + word + "; choose by number, from 1");
      }
      first = last = static_cast<std::size_t>(found - table.columns.begin()) + 1;
      std::size_t place = 0;
      if (!quoted && number(word, place) && place != first) name_word = word;
    } else if (quoted) {
      refuse_no_column(file, word, table);
    } else if (word.find('*') != word.npos) {
      const std::size_t before = chosen.size();
      for (std::size_t k = 0; k < count && table.header; ++k) {
        if (matches(word, table.columns[k].name)) chosen.push_back(k);
      }
      if (chosen.size() == before) refuse_no_column(file, word, table);
      continue;
    } else if (number(word, first)) {
      last = first;
      place_word = word;
    } else if (dash == word.npos || !number(std::string_view(word).substr(0, dash), first)) {
      refuse_no_column(file, word, table);
    } else if (dash + 1 == word.size()) {
      last = count;  // "5-"
    } else if (!number(std::string_view(word).substr(dash + 1), last)) {
      refuse_no_column(file, word, table);
    }
    if (first < 1 || last > count || first > last) refuse_no_column(file, word, table);
    const bool range = found == table.columns.end() && dash != word.npos;
    if (range && (place_of(first) != first || place_of(last) != last)) {
      file.fail(ErrorCode::bad_option, "columns " + word +
                                           " may be meant by names or by places, since names of "
                                           "columns are numbers; list the names, as in 2,3");
    }
    if (!name_word.empty() && !place_word.empty()) {
      file.fail(ErrorCode::bad_option, "column " + name_word + " is a name, and there is no name " +
                                           place_word + ", only a place; list names alone");
    }
    for (std::size_t k = first; k <= last; ++k) chosen.push_back(k - 1);
  }
  return chosen;
}

namespace {

bool is_key(const Table& table, std::size_t k) {
  return std::find(table.by.begin(), table.by.end(), k) != table.by.end();
}

// If all columns are keys, plans to count the rows of each key.
void count_rows(Table& table) {
  if (!table.folded.empty() || table.by.empty()) return;
  choose_column(table, table.by[0]);
  table.columns[table.by[0]].fields = Fields::rows;
}

// Chooses the columns that are folded: all but those of text; all, if only their values are
// counted. A column is refused for any op if it needs an option to be read as numbers.
//   chosen  only looks at the columns that the user chose
void choose_numbers(const File& file, const Sample& sample, const InputOptions& options,
                    Table& table) {
  const bool exact = !options.dtype && !options.spells,
             chosen = !options.columns.empty() && !options.looks;
  // A header with line ends within quotes is one row, but several lines.
  const std::size_t begin = table.header ? sample.first() + 1 : 0;
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    if (chosen ? table.columns[k].slot < 0 : is_key(table, k)) continue;
    if (options.counts && chosen) {
      table.columns[k].fields = Fields::something;
      continue;
    }
    std::size_t numbers = 0, others = 0, hinted = 0, inexact = 0, truths = 0;
    std::size_t line = 0, times = 0;
    std::optional<TimeKind> kind;
    bool mixed = false;
    std::string hint, shown;
    for (std::size_t l = begin; l < sample.lines.size(); ++l) {
      if (k >= sample.lines[l].size()) continue;
      const std::string& field = sample.lines[l][k].text;
      if (is_missing(field, table.missing)) continue;
      double value = 0;
      const NumberError e = number_of(field, table, value, exact);
      table.pointed |= field.find(table.decimal) != field.npos;
      if (e == NumberError::none || e == NumberError::beyond) {
        ++numbers;
        continue;
      }
      ++others;
      truths += is_truth(field);
      if (const auto time = parse_time(field)) {
        kind = kind ? common(*kind, time->kind) : time->kind;
        mixed |= !kind;
        ++times;
      }
      inexact += e == NumberError::inexact;
      if (const std::string h = hint_for(field, table); !h.empty() && ++hinted == 1) {
        hint = h;
        shown = field;
        line = l - begin + table.lines + 1;
      }
    }
    Fields& fields = table.columns[k].fields;
    if (numbers == 0 && others > 0 && truths == others) fields = Fields::truths;
    if (numbers + others == 0 && !chosen) fields = Fields::unknown;
    if (kind && !mixed && numbers == 0 && times == others) table.columns[k].type = name_of(*kind);
    if (chosen) continue;
    if (!options.looks && hinted > 0 && 2 * hinted > others && 2 * others > numbers) {
      file.fail(ErrorCode::bad_token, "line " + std::to_string(line) + ", column " +
                                          std::to_string(k + 1) + ": " + quote_text(shown) +
                                          " is not a number" + hint);
    }
    if (options.counts) {
      choose_column(table, k);
      fields = Fields::something;
      continue;
    }
    table.columns[k].text = others > numbers && fields != Fields::truths;
    if (table.columns[k].text) {
      const char* const why = 2 * inexact > others ? beyond_f64 : "";
      table.left_out.push_back(table.columns[k].name + why);
    } else {
      choose_column(table, k);
    }
  }
  if (options.counts) count_rows(table);
  if (table.folded.empty() && !options.looks) refuse_no_numbers(file, table.left_out);
}

}  // namespace

void refuse_no_numbers(const File& file, const std::vector<std::string>& left_out) {
  for (const std::string& column : left_out) {
    if (!column.ends_with(beyond_f64)) continue;
    file.fail(ErrorCode::out_of_range, "no column is left to fold: " + column);
  }
  file.fail(ErrorCode::bad_token,
            "no column of the table holds numbers; --columns chooses one all the same");
}

std::string hint_for(std::string_view field, const Table& table) {
  if (table.decimal == '.' && table.thousands == 0) {
    if (has_groups(field, ',', '.')) {
      return "; if its commas mark thousands, say --thousands , (or --decimal , if it is a "
             "fraction)";
    }
    for (const char mark : {' ', '\'', '_', '.'}) {
      if (has_groups(field, mark, mark == '.' ? ',' : '.') &&
          (mark != '.' || std::count(field.begin(), field.end(), '.') > 1 ||
           field.find(',') != field.npos)) {
        return std::string("; if it is a number of thousands, say --thousands \"") + mark + "\"" +
               (mark == '.' ? " --decimal ," : "");
      }
    }
    if (has_comma(field)) return "; if its comma is a decimal point, say --decimal ,";
  }
  if (table.decimal == ',' && table.thousands == 0) {
    if (has_groups(field, '.', ',')) return "; if its points mark thousands, say --thousands .";
    for (const char mark : {' ', '\'', '_'}) {
      if (has_groups(field, mark, ',')) {
        return std::string("; if it is a number of thousands, say --thousands \"") + mark + "\"";
      }
    }
  }
  return {};
}

void choose_columns(const File& file, const Sample& sample, const InputOptions& options,
                    std::string_view data, Table& table) {
  for (std::size_t k = 0; k < sample.fields; ++k) {
    std::string name = table.header ? sample.lines[sample.first()][k].text : "";
    table.columns.push_back({.name = name.empty() ? std::to_string(k + 1) : name});
  }
  if (!options.by.empty() && !options.looks) table.by = columns_of(file, options.by, table);
  if (table.plain) {
    for (std::size_t k = 0; k < table.columns.size(); ++k) choose_column(table, k);
    table.pointed = data.substr(0, 1024).find('.') != data.npos;
  } else if (options.columns.empty() || options.looks) {
    choose_numbers(file, sample, options, table);
  } else {
    table.chosen = true;
    for (const std::size_t k : columns_of(file, options.columns, table)) choose_column(table, k);
    choose_numbers(file, sample, options, table);
    table.pointed = data.substr(0, 1024).find(table.decimal) != data.npos;
  }
  tell_names_apart(table);
}

std::optional<bool> Table::spelt() const {
  Size n = 0;
  for (const Column& c : columns) n += c.slot >= 0 && c.spelt;
  if (n > 0 && n < folded.size()) return {};
  return n > 0;
}

Table table_of(const File& file, const std::vector<ColumnFacts>& columns,
               const InputOptions& options) {
  Table table;
  table.header = true;
  table.missing_is_nan = options.missing_is_nan;
  for (const ColumnFacts& c : columns) {
    const std::string number = std::to_string(table.columns.size() + 1);
    const bool spelt = c.decimal || (c.beyond && options.spells);
    table.columns.push_back({.name = c.name.empty() ? number : c.name,
                             .text = !c.folds && !c.decimal,
                             .type = c.type,
                             .stored = c.folds,
                             .spelt = spelt && !options.counts && !options.dtype});
  }
  if (!options.by.empty() && !options.looks) table.by = columns_of(file, options.by, table);
  for (const std::size_t k : table.by) {
    if (columns[k].folds || columns[k].keys) continue;
    file.fail(ErrorCode::unsupported, "column " + columns[k].name + " is of type " +
                                          columns[k].type +
                                          "; numbers, text, dates and decimals can be keys");
  }
  if (!options.columns.empty() && !options.looks) {
    table.chosen = true;
    for (const std::size_t k : columns_of(file, options.columns, table)) {
      if (options.counts) table.columns[k].fields = Fields::something;
      if (table.columns[k].text && !(options.counts && columns[k].keys)) {
        file.fail(ErrorCode::unsupported, "column " + columns[k].name + " is of type " +
                                              columns[k].type + ", which cannot be folded");
      }
      choose_column(table, k);
    }
    tell_names_apart(table);
    return table;
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (is_key(table, k)) continue;
    const bool counted = options.counts && (columns[k].folds || columns[k].keys);
    if (counted) table.columns[k].fields = Fields::something;
    const bool fits = !columns[k].beyond || options.dtype || table.columns[k].spelt;
    if (counted || columns[k].decimal || (columns[k].folds && fits)) {
      choose_column(table, k);
      continue;
    }
    table.left_out.push_back(table.columns[k].name + (columns[k].folds ? beyond_f64 : ""));
  }
  if (options.counts) count_rows(table);
  if (table.folded.empty() && !options.looks) {
    file.fail(ErrorCode::bad_token, "no column of the table holds numbers that can be folded");
  }
  tell_names_apart(table);
  return table;
}

}  // namespace onefold::io
