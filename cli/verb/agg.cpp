// onefold agg LIST FILE...: columns of a table, each by ops of its own.
#include "onefold/tables/aggregate.hpp"

#include "cli/calls.hpp"
#include "cli/option.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"

namespace onefold::cli {
namespace {

constexpr Option having_option{
    "having", "EXPR", "keep the groups of which this is true: 'sum(price) > 100 and n >= 3'",
    nullptr};

void run_agg(Arguments& arguments) {
  if (arguments.words.empty()) {
    throw Error(ErrorCode::bad_option,
                "agg needs a list of calls: onefold agg 'sum(price), max(date)' FILE");
  }
  const auto having = arguments.own.find("having");
  const std::vector<std::string> files = input_files(arguments, 1);
  std::unique_ptr<OutputFile> file = output_of(arguments);
  io::Notes notes;
  ProgressLine line(arguments.progress);
  const io::Grouped grouped =
      io::aggregate(arguments.words[0], having == arguments.own.end() ? "" : having->second, files,
                    arguments, line.callback(), notes);
  line.finish();
  give_calls(grouped, notes, arguments, file);
}

constexpr const Option* agg_options[] = {
    &option::by,         &having_option,     &option::sort,    &option::top,
    &option::where,      &option::let,       &option::nan,     &option::ddof,
    &option::correction, &option::empty_nan, &option::dtype,   &option::format,
    &option::header,     &option::delimiter, &option::missing, &option::bad_lines,
    &option::decimal,    &option::thousands, &option::numbers, &option::non_numbers,
    &option::skip,       &option::comment,   &option::units,   &option::files_from,
    &option::null,       &option::memory,    &option::json,    &option::precision,
    &option::output,     &option::progress,  &option::threads, &option::help,
    &option::version};

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
