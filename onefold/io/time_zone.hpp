// Time zones by the tz database, from the files of the system.
//
//   files    /usr/share/zoneinfo, in the format TZif of RFC 9636, versions 1 to 4
//   names    Europe/Oslo, UTC; no path leads out of that folder
//   after    the last transition of a file its rule holds: CET-1CEST,M3.5.0,M10.5.0/3
//   before   the first transition the file's first type of time holds, as RFC 9636 says
//   refused  files that count leap seconds, are damaged, or are longer than 256 KiB
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/core/base.hpp"

namespace onefold::io {

// A rule of POSIX for the offsets of any year.
struct ZoneRule {
  struct Change {
    enum class On : uint8_t { julian, day, week } on = On::week;
    int day = 0;              // 1 to 365 without 29 February; 0 to 365; a weekday from Sunday
    int week = 0, month = 0;  // the week'th such weekday of a month; 5 is the last
    int64_t at = 7200;        // seconds of local time
  };
  int64_t standard = 0, summer = 0;  // seconds east of UTC
  bool changes = false;
  Change to_summer = {}, to_standard = {};

  int64_t offset_at(int64_t seconds) const;
};
// Returns nothing if the text is no rule.
std::optional<ZoneRule> parse_zone_rule(std::string_view text);

class TimeZone {
 public:
  //   throws  bad_option: there is no such zone, or its file cannot be used
  static std::shared_ptr<const TimeZone> find(const std::string& name);
  // Returns nothing if the bytes are no file of a zone.
  static std::optional<TimeZone> read(std::span<const unsigned char> bytes);

  // Returns the seconds east of UTC at a time in seconds since 1970.
  int64_t offset_at(int64_t seconds) const;
  // Returns the offsets that a local clock of these seconds since 1970 may have: one; none where
  // the clocks were put forward; two where they were put back, the earlier instant first.
  std::vector<int64_t> offsets_of_local(int64_t seconds) const;

 private:
  struct Transition {
    int64_t at, offset;  // seconds since 1970; seconds east of UTC from then on
  };
  bool read_block(std::span<const unsigned char>& bytes, std::size_t word, bool keep);

  int64_t first_ = 0;
  std::vector<Transition> transitions_;
  std::optional<ZoneRule> rule_;
};

}  // namespace onefold::io
