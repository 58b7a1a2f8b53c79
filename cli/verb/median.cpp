#include "cli/quantiles.hpp"

namespace onefold::cli {
namespace {

void run_median(Arguments& arguments) { print_quantiles(arguments, {{{1, 2}, "median"}}); }

}  // namespace

const Verb median_verb{.name = "median",
                       .usage = "median FILE...",
                       .idea = "Print the exact median of all numbers, of each column or group.",
                       .options = std::span(quantile_options).subspan(2),
                       .examples =
                           "onefold median data.npy\n"
                           "onefold median --columns price sales.csv\n"
                           "onefold median --by city sales.csv      # of each group\n"
                           "seq 10 | onefold median                 # 5.5",
                       .run = run_median};

}  // namespace onefold::cli
