// The page of the other experiments: tables and bars, without a script.
#pragma once

#include <string>

namespace onefold::lab {

// The page that shows the JSON of one experiment, or of `lab all`. The same JSON, the same bytes.
std::string experiments_html(const std::string& json);

}  // namespace onefold::lab
