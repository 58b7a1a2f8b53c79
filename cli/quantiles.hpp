// What the verbs median and quantile have in common.
#pragma once

#include "cli/verb.hpp"
#include "file_fold/quantiles.hpp"

namespace onefold::cli {

// Prints quantiles of the files that are named, or of what is piped in.
void print_quantiles(Arguments& arguments, const std::vector<io::Quantile>& quantiles);

}  // namespace onefold::cli
