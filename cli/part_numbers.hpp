// Numbers of parts, as `--part` and files of states spell them: "1..1000" or "1-3,7".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "onefold/engine/request/ranges.hpp"

namespace onefold::cli {

// Reads a number below 2^62; returns false if the text is anything else.
bool read_number(std::string_view text, uint64_t& n);
// Adds the numbers of a list; returns false if the text is anything else, or a number comes twice.
bool read_part_numbers(std::string_view text, Ranges& parts);
// Returns the numbers of a list.
//   option  whose value it is, for the message
//   throws  bad_option
Ranges parse_parts(const char* option, const std::string& text);
// Returns "1-3,7".
std::string parts_text(const Ranges& parts);
// Returns the ranges of `a` that are not in `b`.
Ranges without(const Ranges& a, const Ranges& b);

}  // namespace onefold::cli
