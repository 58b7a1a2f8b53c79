#pragma once

#include <span>
#include <string>
#include <string_view>

namespace onefold::cli {

// A JSON string; bytes that are not UTF-8 (a file name may hold them) become U+FFFD.
std::string quote(std::string_view s);

// ["a", "b"]
std::string quote_list(std::span<const std::string> list);

}  // namespace onefold::cli
