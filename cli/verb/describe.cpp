#include "cli/each.hpp"
#include "cli/groups.hpp"
#include "cli/option.hpp"
#include "cli/request.hpp"
#include "onefold/tables/met_ranks.hpp"

namespace onefold::cli {
namespace {

void run_describe(Arguments& arguments) {
  const std::vector<std::string> files = input_files(arguments, 0);
  arguments.fold.wide = true;
  arguments.input.describes = true;
  arguments.describes = !arguments.input.by.empty();
  const Query query(describe_ops(arguments.describes), arguments.fold);
  check_each(arguments);
  if (arguments.describes) {
    return name_describe([&] { fold_groups(query, files, arguments); });
  }
  if (arguments.each) {
    std::vector<const char*> names;
    for (const DescribeRow& row : describe_rows) names.push_back(row.name);
    return name_describe([&] { fold_each(query, files, arguments, names, false); });
  }
  std::unique_ptr<OutputFile> file = output_of(arguments);
  io::Notes notes;
  Answers answers =
      name_describe([&] { return fold_with_progress(query, files, arguments, notes); });
  if (!io::answers_here(arguments.input.peers)) return;
  say(notes);
  say_missing(notes, query, arguments.input.missing_is_nan);
  for (std::size_t k = 0; k < answers.list.size(); ++k) {
    answers.list[k].op = describe_rows[k].name;
  }
  give_answers(answers, notes, arguments, file);
}

constexpr const Option* describe_options[] = {
    &option::axis,        &option::keepdims,  &option::nan,        &option::ddof,
    &option::where,       &option::let,       &option::correction, &option::dtype,
    &option::shape,       &option::offset,    &option::format,     &option::header,
    &option::columns,     &option::by,        &option::sort,       &option::top,
    &option::no_sort,     &option::delimiter, &option::missing,    &option::bad_lines,
    &option::decimal,     &option::thousands, &option::numbers,    &option::non_numbers,
    &option::date_format, &option::skip,      &option::comment,    &option::units,
    &option::unite,       &option::each,      &option::files_from, &option::null,
    &option::keep_going,  &option::memory,    &option::mpi,        &option::json,
    &option::precision,   &option::output,    &option::threads,    &option::progress,
    &option::device,      &option::target,    &option::help,       &option::version};

}  // namespace

const Verb describe_verb{.name = "describe",
                         .usage = "describe FILE...",
                         .idea = "Print common statistics of an array or of each column.",
                         .options = describe_options,
                         .examples =
                             "onefold describe data.npy\n"
                             "onefold describe --axis 0 data.csv      # one line for each column\n"
                             "onefold describe --by city sales.csv    # one line for each group\n"
                             "onefold describe --nan omit --json x.txt\n"
                             "cat x.txt | onefold describe            # from a pipe",
                         .run = run_describe};

}  // namespace onefold::cli
