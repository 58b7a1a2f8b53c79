#include "onefold/engine/plan/nearest.hpp"

#include <algorithm>
#include <vector>

namespace onefold {
namespace {

// Damerau-Levenshtein distance; swapped letters are not edited again (optimal string alignment).
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> names) {
  if (word.size() > 64) return {};  // too long for any name
  std::string_view best;
  std::size_t least = word.size() < 8 ? 4 : 6;  // an edit counts 2; names from here on are too far
  for (const std::string_view name : names) {
    const std::size_t another_length = name.size() == word.size() ? 0 : 1;
    if (const std::size_t d = 2 * edits_between(word, name) + another_length; d < least) {
      least = d;
      best = name;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
  const std::string_view name = nearest(word, names);
  return name.empty() ? "" : " (did you mean " + std::string(name) + "?)";
}

}  // namespace onefold
