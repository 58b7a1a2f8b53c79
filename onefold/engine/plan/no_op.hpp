// Explains names of other programs' functions that Onefold deliberately does not have as ops.
#pragma once

#include <string>
#include <string_view>

namespace onefold {

// Returns "median is no fold: it needs all values at once, ..."; empty for other words.
std::string why_no_op(std::string_view word);

}  // namespace onefold
