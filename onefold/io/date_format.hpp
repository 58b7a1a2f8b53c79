// Patterns of dates and times, as strptime has them: "%d/%m/%Y %I:%M %p".
//
//   date      %Y (4 digits) %y (69..99 are 19xx) %m %d %e %j %b %B (English names) %a %A, %F, %D
//   clock     %H, or %I with %p; %M %S %f (1 to 9 digits behind the point); %T %R
//   zone      %z (+02, +0200, +02:00, Z) %Z (UTC, GMT, Z)
//   epoch     %s or epoch: seconds since 1970, of UTC; %Q or epoch_ms; epoch_us, epoch_ns
//   others    %% is a percent sign; a blank is one blank or more; the rest stands for itself
//   numbers   may have one digit, unless a number follows at once, as in %Y%m%d
//   refused   31 April, 29 February of other years, a second of 60, a weekday that the date is not
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/io/time_text.hpp"

namespace onefold::io {

class File;
struct InputOptions;
struct Table;

class DateFormat {
 public:
  //   throws  bad_option: says what is wrong with the pattern
  explicit DateFormat(std::string_view pattern);

  // Returns a text as parse_time reads it: 2024-05-31 13:05:00+02:00. Nothing: it does not fit.
  std::optional<std::string> standard_text(std::string_view text) const;
  bool fits(std::string_view text) const { return parse(text).has_value(); }

  const std::string& pattern() const { return pattern_; }
  TimeKind kind() const { return kind_; }  // date, timestamp or time
  // Whether any integer may be such a date, so that only a user knows.
  bool is_epoch() const { return steps_[0].what == 's'; }

  friend bool operator==(const DateFormat& a, const DateFormat& b) {
    return a.pattern_ == b.pattern_;
  }

 private:
  struct Step {
    char what = 0;          // a directive's letter; 0: `literal` stands there
    char literal = 0;       // a blank: one or more
    std::size_t least = 1;  // digits of a number
  };
  // Of a time of day only the clock counts.
  std::optional<DateParts> parse(std::string_view text) const;
  bool has(char what) const;
  void check();

  std::string pattern_;
  std::vector<Step> steps_;
  TimeKind kind_ = TimeKind::date;
  int epoch_digits_ = 0;  // decimals of a second in the unit of an epoch: 3 for milliseconds
};

// The patterns of --date-format: "%d/%m/%Y", or "sold=%d/%m/%Y; seen=epoch" by columns.
struct ColumnDates {
  std::string columns;  // as --columns names them; empty: all columns that it fits
  DateFormat format;
};
//   throws  bad_option: `--date-format "...": ...`
std::vector<ColumnDates> parse_date_formats(std::string_view option);

// Returns the words to say for a date in another notation than ISO: "; if it is a date, say
// --date-format "%d/%m/%Y"". Empty: it is no such date.
std::string date_hint_for(std::string_view field);
// The patterns for a table that is no text, each with its columns.
//   throws  bad_option: a pattern without a column
std::vector<ColumnDates> named_dates(const File& file, const InputOptions& options);
// Marks the columns of text which they name.
//   throws  bad_option: a column that is no text
void name_dates(const File& file, const std::vector<ColumnDates>& dates, Table& table);

// Returns what is wrong with a text that is no date in a format.
std::string no_date(const DateFormat& format, std::string_view text);
// Returns the words to say for an integer that may count seconds since 1970, or parts of them, by
// its number of digits; empty: it is none.
std::string epoch_hint_for(std::string_view field);

}  // namespace onefold::io
