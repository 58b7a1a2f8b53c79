// Guesses, for messages, which legal name was meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace onefold {

// Returns the name that `word` becomes by adding, dropping, changing or swapping one letter (two,
// if it has at least 8); otherwise nothing. If two names are as near, one of the same length wins:
// "maen" is mean, not mae. With a third of the letters, median would be taken for mean.
std::string_view nearest(std::string_view word, std::span<const std::string_view> names);

// Returns " (did you mean sum?)" or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

}  // namespace onefold
