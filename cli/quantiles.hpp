// Code that the verbs median and quantile share.
#pragma once

#include "cli/option.hpp"
#include "cli/verb.hpp"
#include "onefold/tables/quantiles.hpp"

namespace onefold::cli {

inline constexpr Option q_option{"q", "LIST", "quantiles from 0 to 1, such as 0.25,0.5", nullptr};

inline constexpr Option method_option{"method", "linear|lower|higher|nearest|midpoint",
                                      "how to interpolate between two numbers (default: linear); "
                                      "NumPy's other methods, such as hazen, also work",
                                      nullptr};

// quantile's own options, --q and --method, come first.
inline constexpr const Option* quantile_options[] = {&q_option,
                                                     &method_option,
                                                     &option::nan,
                                                     &option::dtype,
                                                     &option::shape,
                                                     &option::offset,
                                                     &option::format,
                                                     &option::header,
                                                     &option::columns,
                                                     &option::where,
                                                     &option::let,
                                                     &option::by,
                                                     &option::sort,
                                                     &option::top,
                                                     &option::delimiter,
                                                     &option::missing,
                                                     &option::bad_lines,
                                                     &option::decimal,
                                                     &option::thousands,
                                                     &option::numbers,
                                                     &option::non_numbers,
                                                     &option::date_format,
                                                     &option::skip,
                                                     &option::comment,
                                                     &option::units,
                                                     &option::unite,
                                                     &option::files_from,
                                                     &option::null,
                                                     &option::memory,
                                                     &option::mpi,
                                                     &option::json,
                                                     &option::precision,
                                                     &option::output,
                                                     &option::progress,
                                                     &option::threads,
                                                     &option::help,
                                                     &option::version};

// Prints quantiles of the named files, or of stdin.
void print_quantiles(Arguments& arguments, const std::vector<Quantile>& quantiles);

}  // namespace onefold::cli
