// Whole numbers as people write them: 1000, 2^20+3, 64*256, (WIDTH + 1) * 4.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace onefold::lab {

__extension__ typedef __int128 Wide;

// Evaluates + - * / ^ and brackets, by precedence and from left to right.
//   named    the value of a name in a C program, whose numbers may also have suffixes (16u)
//   returns  nothing if the text is no such number, or too large on the way
using Named = std::function<std::optional<Wide>(const std::string& name)>;
std::optional<Wide> whole_value(std::string_view text, const Named& named = {});

}  // namespace onefold::lab
