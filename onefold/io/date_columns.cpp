// Finds the columns that hold dates by --date-format.
#include "onefold/io/date_format.hpp"
#include "onefold/io/table_sample.hpp"

namespace onefold::io {
namespace {

// How many of a column's first fields are dates in a format.
struct Fit {
  std::size_t dates = 0, others = 0;
  std::string other = {};  // the first that is none
};
Fit fit_of(const Sample& sample, std::size_t k, const DateFormat& format, const Table& table) {
  Fit fit;
  for (std::size_t l = table.header ? sample.first() + 1 : 0; l < sample.lines.size(); ++l) {
    if (k >= sample.lines[l].size()) continue;
    const std::string& field = sample.lines[l][k].text;
    if (is_missing(field, table.missing)) continue;
    if (format.fits(field)) {
      ++fit.dates;
    } else if (++fit.others == 1) {
      fit.other = field;
    }
  }
  return fit;
}

}  // namespace

void find_dates(const File& file, const Sample& sample, const InputOptions& options, Table& table) {
  const auto mark = [&](std::size_t k, const DateFormat& format) {
    Column& column = table.columns[k];
    column.date_format = format.pattern();
    column.type = name_of(format.kind());
    column.text = true;
  };
  const std::vector<ColumnDates> formats = parse_date_formats(options.date_format);
  for (const auto& [columns, format] : formats) {
    if (columns.empty()) continue;
    for (const std::size_t k : columns_of(file, columns, table)) mark(k, format);
  }
  // Of several patterns each may be for another file.
  bool any = false;
  std::string other;
  const DateFormat* none = nullptr;
  for (const auto& [columns, format] : formats) {
    if (!columns.empty()) continue;
    if (none == nullptr) none = &format;
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      const Fit fit = fit_of(sample, k, format, table);
      if (other.empty()) other = fit.other;
      // A column without values here may have such dates below. One with other fields is one of
      // dates if most are; the others then are errors.
      if (fit.others > fit.dates || !table.columns[k].date_format.empty()) continue;
      any = true;
      mark(k, format);
    }
  }
  if (any || other.empty()) return;
  file.fail(ErrorCode::bad_option, "--date-format " + quote_text(none->pattern()) +
                                       ": no column has dates in this format; for example, " +
                                       quote_text(other) + " does not match" +
                                       date_hint_for(other));
}

std::vector<ColumnDates> named_dates(const File& file, const InputOptions& options) {
  if (options.date_format.empty()) return {};
  std::vector<ColumnDates> dates = parse_date_formats(options.date_format);
  for (const auto& [columns, format] : dates) {
    if (!columns.empty()) continue;
    file.fail(ErrorCode::bad_option,
              "--date-format " + quote_text(format.pattern()) +
                  " must name a column of this file, as in sold=" + format.pattern());
  }
  return dates;
}

void name_dates(const File& file, const std::vector<ColumnDates>& dates, Table& table) {
  for (const auto& [columns, format] : dates) {
    for (const std::size_t k : columns_of(file, columns, table)) {
      Column& column = table.columns[k];
      if (column.stored || column.spelt || is_time_type(column.type)) {
        file.fail(ErrorCode::bad_option,
                  "--date-format applies only to columns of text, but column " + column.name +
                      " holds " + column.type);
      }
      column.date_format = format.pattern();
      column.type = name_of(format.kind());
      column.text = true;
    }
  }
}

std::string columns_with_dates(const InputOptions& options) {
  std::string list;
  if (options.date_format.empty()) return list;
  for (const ColumnDates& dates : parse_date_formats(options.date_format)) {
    list += (list.empty() || dates.columns.empty() ? "" : ",") + dates.columns;
  }
  return list;
}

}  // namespace onefold::io
