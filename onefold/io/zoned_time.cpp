#include "onefold/io/zoned_time.hpp"

#include <cstdlib>

#include "onefold/error.hpp"
#include "onefold/io/table_fields.hpp"
#include "onefold/io/time_zone.hpp"

namespace onefold::io {
namespace {

constexpr int64_t nanoseconds = 1'000'000'000;

// Nearly always the zone of the row before.
const TimeZone& zone_of(const std::string& name) {
  thread_local std::string last;
  thread_local std::shared_ptr<const TimeZone> zone;
  if (zone == nullptr || last != name) {
    zone = TimeZone::find(name);
    last = name;
  }
  return *zone;
}

int64_t seconds_of(Int128 ns) {
  return static_cast<int64_t>(ns / nanoseconds) - (ns % nanoseconds < 0 ? 1 : 0);
}

DateParts with_offset(Int128 local_ns, int64_t offset) {
  std::optional<DateParts> parts = timestamp_at(local_ns);
  if (!parts) {
    throw Error(ErrorCode::out_of_range,
                "after conversion to another time zone, a time is outside the years 0 to 9999");
  }
  const int64_t size = std::abs(offset);
  parts->zoned = true;
  parts->east = offset >= 0;
  parts->offset = {size / 3600, size / 60 % 60, size % 60, 0};
  return *parts;
}

}  // namespace

DateParts to_zone(const DateParts& time, const std::string& zone) {
  if (!time.zoned) {
    throw Error(ErrorCode::bad_token, quote_text(text_of(time)) +
                                          " has no time zone to convert from; in_zone(t, " +
                                          quote_text(zone) + ") reads it as a time in that zone");
  }
  const Int128 ns = time_of(time).ns;
  const int64_t offset = zone_of(zone).offset_at(seconds_of(ns));
  return with_offset(ns + static_cast<Int128>(offset) * nanoseconds, offset);
}

DateParts in_zone(const DateParts& time, const std::string& zone) {
  if (time.zoned) {
    throw Error(ErrorCode::bad_token, quote_text(text_of(time)) +
                                          " already has a time zone; to_zone(t, " +
                                          quote_text(zone) + ") converts it");
  }
  const Int128 ns = time_of(time).ns;
  const std::vector<int64_t> offsets = zone_of(zone).offsets_of_local(seconds_of(ns));
  if (offsets.size() == 1) return with_offset(ns, offsets[0]);
  throw Error(
      ErrorCode::bad_token,
      quote_text(text_of(time)) + (offsets.empty() ? " does not exist in " : " occurs twice in ") +
          zone + ", because clocks were put " + (offsets.empty() ? "forward" : "back") +
          " then; write times with an offset, such as " +
          (offsets.empty() ? "2024-05-31 12:30+02:00" : text_of(with_offset(ns, offsets[0]))));
}

}  // namespace onefold::io
