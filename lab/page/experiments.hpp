// The page of the other experiments: tables and bars, without a script.
#pragma once

#include <string>

namespace onefold::lab {

// The page that shows the JSON of one experiment, or of `lab all`. The same JSON, the same bytes.
// `ladder` is the page of `lab reduce`, which stands in the place of its tables.
std::string experiments_html(const std::string& json, const std::string& ladder = "");

}  // namespace onefold::lab
