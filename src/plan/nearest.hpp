// For messages: which legal name was probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace onefold {

// The name that `word` becomes with one letter added, dropped, changed or swapped with its
// neighbour, or with two of them where it has 8 letters or more; else empty. Of two that are as
// near, one of its length: "maen" is mean, not mae. A third of any word would find mean for median.
std::string_view nearest(std::string_view word, std::span<const std::string_view> names);

// " (did you mean sum?)" or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

}  // namespace onefold
