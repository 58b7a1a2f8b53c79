#include "cli/option.hpp"
#include "cli/quantiles.hpp"

namespace onefold::cli {
namespace {

void run(Arguments& arguments) { print_quantiles(arguments, {{"median", 1, 2}}); }

constexpr const Option* options[] = {
    &option::nan,     &option::dtype,     &option::shape,      &option::offset,  &option::format,
    &option::header,  &option::columns,   &option::delimiter,  &option::missing, &option::bad_lines,
    &option::decimal, &option::thousands, &option::files_from, &option::null,    &option::memory,
    &option::json,    &option::precision, &option::progress,   &option::threads, &option::help,
    &option::version};

}  // namespace

const Verb median_verb{
    .name = "median",
    .usage = "median FILE...",
    .idea = "The median of all numbers, or of each column, exact, in two passes.",
    .options = options,
    .examples =
        "onefold median data.npy\n"
        "onefold median --columns price sales.csv\n"
        "seq 10 | onefold median                 # 5.5",
    .run = run};

}  // namespace onefold::cli
