#include "onefold/io/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "onefold/io/date_format.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/table_sample.hpp"
#include "onefold/io/time_text.hpp"

namespace onefold::io {

void choose_column(Table& table, std::size_t k) {
  if (table.columns[k].slot >= 0) return;
  table.columns[k].slot = static_cast<int>(table.folded.size());
  table.folded.push_back(table.columns[k].name);
}

void tell_names_apart(Table& table) {
  std::vector<std::size_t> columns(table.folded.size());
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    if (table.columns[k].slot >= 0) columns[static_cast<std::size_t>(table.columns[k].slot)] = k;
  }
  table.folded = labels_of(table, columns);
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

// Chooses a column of dates, if only its values are counted.
void choose_dates(const File& file, std::size_t k, bool counts, bool chosen, Table& table) {
  Column& column = table.columns[k];
  if (chosen) {
    file.fail(ErrorCode::bad_option,
              "column " + column.name +
                  " holds dates because of --date-format; for dates use count, max, mean, min or "
                  "ptp (mode and nunique as text)");
  }
  if (counts) {
    choose_column(table, k);
    column.fields = Fields::something;
  } else {
    table.left_out.push_back(column.name);
  }
}

// What the first fields of a column are.
struct ColumnSample {
  std::size_t numbers = 0, others = 0;                                    // fields of both kinds
  std::size_t hinted = 0, inexact = 0, truths = 0, loose = 0, times = 0;  // of the others
  std::string hint, shown;  // of the first one for which there is a hint, in `line`
  std::size_t line = 0;
  std::string loose_hint;  // of the first one that --numbers loose reads
  std::optional<TimeKind> kind;
  bool mixed = false;  // times have no kind in common
};
//   begin  the first line with fields
//   exact  a number that f64 does not hold is no number
ColumnSample sample_of(const Sample& sample, std::size_t begin, std::size_t k, bool exact,
                       const InputOptions& options, Table& table) {
  ColumnSample s;
  for (std::size_t l = begin; l < sample.lines.size(); ++l) {
    if (k >= sample.lines[l].size()) continue;
    const std::string& field = sample.lines[l][k].text;
    if (is_missing(field, table.missing)) continue;
    double value = 0;
    const NumberError e = number_of(field, table, value, exact);
    table.pointed |= field.find(table.decimal) != field.npos;
    // The fold finds out whether f64 holds all integers. Expressions take longer ones as texts.
    const bool integer = e == NumberError::inexact && !options.looks;
    if (e == NumberError::none || e == NumberError::beyond || integer) {
      ++s.numbers;
      continue;
    }
    ++s.others;
    s.truths += is_truth(field);
    if (const auto time = parse_time(field)) {
      s.kind = s.kind ? common(*s.kind, time->kind) : time->kind;
      s.mixed |= !s.kind;
      ++s.times;
    }
    s.inexact += e == NumberError::inexact;
    if (const std::string h = loose_hint_for(field, table); !h.empty() && ++s.loose == 1) {
      s.loose_hint = " (" + quote_text(field) + h + ")";
    }
    if (const std::string h = hint_for(field, table); !h.empty() && ++s.hinted == 1) {
      s.hint = h;
      s.shown = field;
      s.line = l - begin + table.lines + 1;
    }
  }
  return s;
}

// Chooses the columns that are folded: all but those of text; all, if only their values are
// counted. Without a header, a column that needs an option to be read as numbers is refused.
//   chosen  only looks at the columns that the user chose
void choose_numbers(const File& file, const Sample& sample, const InputOptions& options,
                    Table& table) {
  const bool exact = !options.dtype && !options.spells,
             chosen = !options.columns.empty() && !options.looks,
             // Fields that are missing, since they are no numbers, do not count; those of a column
      // of text do.
      counts = options.counts && !options.others_are_missing;
  // A header with line ends within quotes is one row, but several lines.
  const std::size_t begin = table.header ? sample.first() + 1 : 0;
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    if (chosen ? table.columns[k].slot < 0 : is_key(table, k)) continue;
    const bool dates = !table.columns[k].date_format.empty();
    if (chosen && (dates ? options.counts : counts)) {
      table.columns[k].fields = Fields::something;
      continue;
    }
    if (dates) {
      choose_dates(file, k, options.counts, chosen, table);
      continue;
    }
    const ColumnSample seen = sample_of(sample, begin, k, exact, options, table);
    Fields& fields = table.columns[k].fields;
    const bool numbers = seen.numbers > 0 && seen.numbers >= seen.others;
    if (chosen && options.counts && !numbers) {
      fields = Fields::something;
      continue;
    }
    if (seen.numbers == 0 && seen.others > 0 && seen.truths == seen.others) {
      fields = Fields::truths;
    }
    if (seen.numbers + seen.others == 0 && !chosen) fields = Fields::unknown;
    const bool times =
        options.others_are_missing ? 2 * seen.times >= seen.others : seen.times == seen.others;
    if (seen.kind && !seen.mixed && seen.numbers == 0 && times) {
      table.columns[k].type = name_of(*seen.kind);
    }
    if (chosen) continue;
    const bool marked = seen.hinted > 0 && 2 * seen.hinted > seen.others;
    if (!options.looks && !table.header && marked && 2 * seen.others > seen.numbers) {
      file.fail(ErrorCode::bad_token, "line " + std::to_string(seen.line) + ", column " +
                                          std::to_string(k + 1) + ": " + quote_text(seen.shown) +
                                          " is not a number" + seen.hint);
    }
    if (counts) {
      choose_column(table, k);
      // A column of text may have any fields.
      fields = seen.others > seen.numbers || table.header ? Fields::something : Fields::values;
      continue;
    }
    table.columns[k].text = seen.others > seen.numbers && fields != Fields::truths;
    if (table.columns[k].text) {
      const std::string why = 2 * seen.inexact > seen.others ? beyond_f64
                              : 2 * seen.loose > seen.others ? seen.loose_hint
                              : marked ? " (" + quote_text(seen.shown) + seen.hint + ")"
                                       : "";
      table.left_out.push_back(table.columns[k].name + why);
    } else {
      choose_column(table, k);
    }
  }
  if (counts) count_rows(table);
  if (table.folded.empty() && !options.looks && !options.describes) {
    refuse_no_numbers(file, table.left_out);
  }
}

}  // namespace

std::string place_text(const Table& table, Size line, std::size_t k) {
  std::string name;
  if (table.header && k < table.columns.size()) {
    for (const char c : table.columns[k].name) {
      const auto byte = static_cast<unsigned char>(c);
      name += byte < 0x20 || byte == 0x7f ? '?' : c;
    }
    name = " (" + name + ")";
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(k + 1) + name;
}

void refuse_others(const File& file, const Table& table, std::size_t k, const OtherFields& fields) {
  double value = 0;
  const bool beyond =
      fields.texts > 0 && number_of(fields.text, table, value, false) == NumberError::beyond;
  const NumberError e = beyond             ? NumberError::beyond
                        : fields.texts > 0 ? NumberError::not_a_number
                                           : NumberError::inexact;
  const char *const begin = fields.text.data(), *const end = begin + fields.text.size();
  const bool below_header = fields.texts > 0 && table.header && fields.line == table.lines + 1;
  file.fail(
      e == NumberError::not_a_number ? ErrorCode::bad_token : ErrorCode::out_of_range,
      (fields.line > 0 ? place_text(table, fields.line, k) : "column " + table.columns[k].name) +
          ": " + explain(e, {begin, end}, DType::f64) +
          (beyond ? "" : hint_for(fields.text, table) + loose_hint_for(fields.text, table)) +
          date_hint_for(fields.text) +
          (below_header ? "; if this line has units, pass --units" : ""));
}

void refuse_no_numbers(const File& file, const std::vector<std::string>& left_out) {
  for (const std::string& column : left_out) {
    if (!column.ends_with(beyond_f64)) continue;
    file.fail(ErrorCode::out_of_range, "no column of numbers is left: " + column);
  }
  std::string hints;
  for (const std::string& column : left_out) {
    if (column.ends_with(')')) hints += (hints.empty() ? ": " : ", ") + column;
  }
  file.fail(ErrorCode::bad_token,
            "no column of the table holds numbers" + hints +
                "; to read a column as numbers anyway, name it with --columns");
}

std::string hint_for(std::string_view field, const Table& table) {
  if (table.decimal == '.' && table.thousands == 0) {
    if (has_groups(field, ',', '.')) {
      return "; if its commas mark thousands, pass --thousands , (or --decimal , if they are "
             "decimal points)";
    }
    for (const char mark : {' ', '\'', '_', '.'}) {
      if (has_groups(field, mark, mark == '.' ? ',' : '.') &&
          (mark != '.' || std::count(field.begin(), field.end(), '.') > 1 ||
           field.find(',') != field.npos)) {
        return std::string("; if it is a number with a thousands separator, pass --thousands \"") +
               mark + "\"" + (mark == '.' ? " --decimal ," : "");
      }
    }
    if (has_comma(field)) return "; if its comma is a decimal point, pass --decimal ,";
  }
  if (table.decimal == ',' && table.thousands == 0) {
    if (has_groups(field, '.', ',')) return "; if its dots mark thousands, pass --thousands .";
    for (const char mark : {' ', '\'', '_'}) {
      if (has_groups(field, mark, ',')) {
        return std::string("; if it is a number with a thousands separator, pass --thousands \"") +
               mark + "\"";
      }
    }
  }
  return {};
}

std::string loose_hint_for(const std::string& field, const Table& table, bool integer) {
  if (table.loose || is_number(field, table)) return {};
  const auto is_taken = [&](const Table& by) {
    double value = 0;
    return number_of(field, by, value, false) == NumberError::none &&
           (!integer || value == std::floor(value));
  };
  Table other{.decimal = table.decimal, .thousands = table.thousands, .loose = true};
  if (is_taken(other)) return "; to read it as a number, pass --numbers loose";
  if (table.thousands != 0) return {};
  other.thousands = table.decimal == '.' ? ',' : '.';
  if (!is_taken(other)) return {};
  other.loose = false;
  if (is_taken(other)) return {};
  return std::string("; to read it as a number, pass --numbers loose --thousands ") +
         other.thousands;
}

void choose_columns(const File& file, const Sample& sample, const InputOptions& options,
                    std::string_view data, Table& table) {
  std::unordered_set<std::string> names;
  for (std::size_t k = 0; k < sample.fields && table.header; ++k) {
    names.insert(sample.lines[sample.first()][k].text);
  }
  for (std::size_t k = 0; k < sample.fields; ++k) {
    std::string name = table.header ? sample.lines[sample.first()][k].text : "";
    if (name.empty()) {
      name = std::to_string(k + 1);
      if (names.contains(name)) name = "#" + name;  // another column is called so
    }
    table.columns.push_back({.name = std::move(name)});
  }
  if (!options.by.empty() && !options.looks) table.by = columns_of(file, options.by, table);
  if (!options.date_format.empty()) find_dates(file, sample, options, table);
  if (table.plain) {
    for (std::size_t k = 0; k < table.columns.size(); ++k) choose_column(table, k);
    table.pointed = data.substr(0, 1024).find('.') != data.npos;
  } else if (options.columns.empty() || options.looks) {
    choose_numbers(file, sample, options, table);
  } else {
    table.chosen = true;
    table.insists = !options.describes;
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
                             .text = !c.folds && !c.decimal && c.type != all_null,
                             .type = c.type,
                             .stored = c.folds,
                             .spelt = spelt && !options.counts && !options.dtype});
  }
  if (!options.by.empty() && !options.looks) table.by = columns_of(file, options.by, table);
  for (const std::size_t k : table.by) {
    if (columns[k].folds || columns[k].keys) continue;
    file.fail(ErrorCode::unsupported, "column " + columns[k].name + " has type " + columns[k].type +
                                          "; only numbers, text, dates and decimals can be keys");
  }
  if (!options.columns.empty() && !options.looks) {
    table.chosen = table.insists = true;
    for (const std::size_t k : columns_of(file, options.columns, table)) {
      if (options.counts) table.columns[k].fields = Fields::something;
      if (table.columns[k].text && !(options.counts && columns[k].keys)) {
        file.fail(ErrorCode::unsupported, "column " + columns[k].name + " has type " +
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
  if (table.folded.empty() && !options.looks && !options.describes) {
    file.fail(ErrorCode::bad_token, "no column of the table holds numbers that can be folded");
  }
  tell_names_apart(table);
  return table;
}

}  // namespace onefold::io
