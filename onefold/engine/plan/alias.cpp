#include "onefold/engine/plan/alias.hpp"

#include <algorithm>

namespace onefold {
namespace {

constexpr const char* divides = "which divides by n; --ddof 1 divides by n - 1";

constexpr Alias list[] = {
    {"avg", "mean", ""},          {"average", "mean", ""},      {"stdev", "std", divides},
    {"stddev", "std", divides},   {"sd", "std", divides},       {"pstdev", "std", ""},
    {"variance", "var", divides}, {"pvar", "var", ""},          {"total", "sum", ""},
    {"add", "sum", ""},           {"len", "count", ""},         {"length", "count", ""},
    {"size", "count", ""},        {"n", "count", ""},           {"minimum", "min", ""},
    {"maximum", "max", ""},       {"amin", "min", ""},          {"amax", "max", ""},
    {"range", "ptp", ""},         {"absmax", "norminf", ""},    {"abssum", "norm1", ""},
    {"norm", "norm2", ""},        {"nnz", "count_nonzero", ""}, {"nonzero", "count_nonzero", ""},
    {"nans", "count_nan", ""},
};

}  // namespace

std::span<const Alias> aliases() { return list; }

const Alias* find_alias(std::string_view name) {
  const Alias* const found = std::ranges::find(list, name, &Alias::name);
  return found == std::end(list) ? nullptr : found;
}

}  // namespace onefold
