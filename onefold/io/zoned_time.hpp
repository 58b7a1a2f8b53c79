// Times moved between zones of the tz database.
#pragma once

#include <string>

#include "onefold/io/time_text.hpp"

namespace onefold::io {

// Returns the same instant on the clocks of a zone, with its offset: 2024-05-31 14:30:00+02:00.
//   throws  bad_option: there is no such zone; bad_token: the time has no zone
DateParts to_zone(const DateParts& time, const std::string& zone);
// Returns a time on the clocks of a zone, with its offset.
//   throws  bad_option: there is no such zone; bad_token: the time has a zone, or the clocks of the
//           zone show it never, or twice
DateParts in_zone(const DateParts& time, const std::string& zone);

}  // namespace onefold::io
