// onefold text OP[,OP...] FILE...: columns of text.
#include "cli/groups.hpp"
#include "cli/option.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"
#include "onefold/tables/text_fold.hpp"

namespace onefold::cli {
namespace {

void run_text(Arguments& arguments) {
  if (arguments.words.empty()) {
    throw Error(ErrorCode::bad_option,
                "text needs an op: onefold text " + io::text_ops() + " --columns NAME FILE");
  }
  const std::vector<std::string> files = input_files(arguments, 1);
  std::unique_ptr<OutputFile> file = output_of(arguments);
  io::Notes notes;
  ProgressLine line(arguments.progress);
  const io::Grouped answers =
      io::fold_texts(arguments.words[0], files, arguments, line.callback(), notes);
  line.finish();
  say(notes);
  say_missing(notes, Query("sum", {}), false);
  give_groups(answers, arguments, file);
}

constexpr const Option* text_options[] = {
    &option::columns,     &option::by,         &option::sort,      &option::top,
    &option::where,       &option::let,        &option::empty_nan, &option::format,
    &option::header,      &option::delimiter,  &option::missing,   &option::bad_lines,
    &option::decimal,     &option::thousands,  &option::numbers,   &option::non_numbers,
    &option::date_format, &option::skip,       &option::comment,   &option::units,
    &option::unite,       &option::files_from, &option::null,      &option::memory,
    &option::json,        &option::output,     &option::progress,  &option::threads,
    &option::help,        &option::version};

}  // namespace

const Verb text_verb{.name = "text",
                     .usage = "text OP[,OP...] --columns LIST FILE...",
                     .idea = "Compute count, min, max, mode or nunique of columns of text.",
                     .options = text_options,
                     .examples =
                         "onefold text nunique --columns city weather.csv\n"
                         "onefold text min,max,mode --columns name --by region staff.csv\n"
                         "onefold text nunique --columns user --by day --top 3 log.csv",
                     .run = run_text};

}  // namespace onefold::cli
