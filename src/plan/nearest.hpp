// For messages: which legal name was probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace onefold {

// The name that `word` becomes with the fewest letters added, dropped, changed or swapped with
// their neighbour, if they are at most a third of it (but one at least); else empty.
std::string_view nearest(std::string_view word, std::span<const std::string_view> names);

// " (did you mean sum?)" or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

}  // namespace onefold
