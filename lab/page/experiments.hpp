// The page of the other experiments: tables and bars, without a script.
#pragma once

#include <string>

namespace onefold::lab {

// Returns the page for the JSON of one experiment, or of `lab all`; equal JSON gives equal bytes.
// `ladder` is the page of `lab reduce`, which replaces its tables.
std::string experiments_html(const std::string& json, const std::string& ladder = "");

}  // namespace onefold::lab
