// Names of ops in other programs that Onefold deliberately does not have.
#pragma once

#include <string>
#include <string_view>

namespace onefold {

// "median is no fold: it needs all values at once, ..."; empty for any other word.
std::string why_no_op(std::string_view word);

}  // namespace onefold
