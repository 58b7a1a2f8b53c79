// onefold agg LIST FILE...: columns of a table, each by ops of its own.
#include "onefold/tables/aggregate.hpp"

#include "cli/calls.hpp"
#include "cli/option.hpp"

namespace onefold::cli {
namespace {

constexpr Option having_option{
    "having", "EXPR", "keep the groups of which this is true: 'sum(price) > 100 and n >= 3'",
    nullptr};

void run_agg(Arguments& arguments) {
  run_calls(arguments, "agg needs a list of calls: onefold agg 'sum(price), max(date)' FILE",
            [&](const auto& files, const auto& progress, io::Notes& notes) {
              const auto having = arguments.own.find("having");
              return io::aggregate(arguments.words[0],
                                   having == arguments.own.end() ? "" : having->second, files,
                                   arguments, progress, notes);
            });
}

constexpr const Option* agg_options[] = {
    &option::by,          &having_option,     &option::sort,     &option::top,
    &option::where,       &option::let,       &option::nan,      &option::ddof,
    &option::correction,  &option::empty_nan, &option::dtype,    &option::format,
    &option::header,      &option::delimiter, &option::missing,  &option::bad_lines,
    &option::decimal,     &option::thousands, &option::numbers,  &option::non_numbers,
    &option::date_format, &option::skip,      &option::comment,  &option::units,
    &option::files_from,  &option::null,      &option::memory,   &option::json,
    &option::precision,   &option::output,    &option::progress, &option::threads,
    &option::help,        &option::version};

}  // namespace

const Verb agg_verb{.name = "agg",
                    .usage = "agg 'OP(COLUMN), ...' FILE...",
                    .idea = "Columns of a table, each by ops of its own, with HAVING.",
                    .options = agg_options,
                    .examples =
                        "onefold agg 'sum(price), median(price), nunique(user)' sales.csv\n"
                        "onefold agg 'n = count(), max(date)' --by 'city, month(date)' sales.csv\n"
                        "onefold agg 'mean(price)' --by city --having 'count() > 9' sales.csv\n"
                        "onefold agg 'sum(price * qty)' --by city --top 5 sales.csv",
                    .run = run_agg};

}  // namespace onefold::cli
