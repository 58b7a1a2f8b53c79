// What a byte of a text is.
#pragma once

#include <string_view>

namespace onefold::io {

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // of UTF-8

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace onefold::io
