// Words that other programs have for ops, and that are none here on purpose.
#pragma once

#include <string>
#include <string_view>

namespace onefold {

// "median is no fold: it needs all values at once, ..."; empty for any other word.
std::string why_no_op(std::string_view word);

}  // namespace onefold
