// What a byte of a text is.
#pragma once

namespace onefold::io {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace onefold::io
