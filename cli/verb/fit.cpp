// onefold fit 'y ~ x1 + x2' FILE...: least squares fits of a column of a table by others.
#include "onefold/tables/table_fit.hpp"

#include "cli/calls.hpp"
#include "cli/option.hpp"

namespace onefold::cli {
namespace {

void run_fit(Arguments& arguments) {
  run_calls(arguments, "fit needs a formula of column names; write onefold fit 'y ~ x1 + x2' FILE",
            [&](const auto& files, const auto& progress, io::Notes& notes) {
              return io::fit_tables(arguments.words[0], files, arguments, progress, notes);
            });
}

constexpr const Option* fit_options[] = {
    &option::by,          &option::sort,       &option::top,       &option::where,
    &option::let,         &option::nan,        &option::empty_nan, &option::format,
    &option::header,      &option::delimiter,  &option::missing,   &option::bad_lines,
    &option::decimal,     &option::thousands,  &option::numbers,   &option::non_numbers,
    &option::date_format, &option::skip,       &option::comment,   &option::units,
    &option::unite,       &option::files_from, &option::null,      &option::memory,
    &option::json,        &option::precision,  &option::output,    &option::progress,
    &option::threads,     &option::help,       &option::version};

}  // namespace

const Verb fit_verb{.name = "fit",
                    .usage = "fit 'Y ~ X1 + X2' FILE...",
                    .idea = "Fit a column to others by least squares.",
                    .options = fit_options,
                    .examples =
                        "onefold fit 'price ~ area + rooms' houses.csv\n"
                        "onefold fit 'price ~ area' --by city --empty-nan houses.csv\n"
                        "onefold fit 'y ~ x + square' --let 'square = x * x' points.csv",
                    .run = run_fit};

}  // namespace onefold::cli
