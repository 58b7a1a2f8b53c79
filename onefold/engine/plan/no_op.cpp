#include "onefold/engine/plan/no_op.hpp"

#include <algorithm>
#include <span>

namespace onefold {
namespace {

constexpr std::string_view of_quantiles[] = {
    "median",     "nanmedian",   "med",           "quantile", "nanquantile", "quantiles",
    "percentile", "percentiles", "nanpercentile", "perc",     "q1",          "q3",
    "iqr",        "p50",         "p90",           "p95",      "p99"};
constexpr std::string_view of_all_values[] = {
    "mad",       "mode",     "antimode",    "unique",       "nunique",  "n_unique",
    "uniq",      "distinct", "countunique", "value_counts", "sort",     "argsort",
    "partition", "rank",     "histogram",   "hist",         "trimmean", "trim_mean"};
constexpr std::string_view of_products[] = {"prod",  "product", "nanprod",
                                            "gmean", "geomean", "geometric_mean"};
constexpr std::string_view of_each_element[] = {"cumsum", "cumprod", "nancumsum", "nancumprod",
                                                "cummax", "cummin",  "cummean",   "diff"};

struct Reason {
  std::span<const std::string_view> words;
  std::string_view why, instead;
};
constexpr Reason reasons[] = {
    {of_quantiles, "it needs all values at once, which no state of fixed size can hold",
     "; call the separate functions median or quantile"},
    {of_all_values, "it needs all values at once, which no state of fixed size can hold", ""},
    {of_products,
     "the exact product has as many digits as all its factors together, which no state of fixed "
     "size can hold",
     ""},
    {of_each_element,
     "it returns an answer for each element, but a fold returns one for all of them", ""}};

}  // namespace

NoOp why_no_op(std::string_view word) {
  for (const Reason& r : reasons) {
    if (std::find(r.words.begin(), r.words.end(), word) == r.words.end()) continue;
    return {std::string(word) + " cannot be folded: " + std::string(r.why),
            std::string(r.instead) + "; see \"What cannot be folded\" in docs/numerics.md"};
  }
  return {};
}

}  // namespace onefold
