#pragma once

#include <span>
#include <string>
#include <string_view>

namespace onefold::cli {

// Returns a JSON string; bytes that are not UTF-8 (as in some file names) become U+FFFD.
std::string quote(std::string_view s);

// Returns ["a", "b"].
std::string quote_list(std::span<const std::string> list);

}  // namespace onefold::cli
