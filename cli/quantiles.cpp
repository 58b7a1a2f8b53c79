#include "cli/quantiles.hpp"

#include "cli/groups.hpp"
#include "cli/option.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"
#include "onefold/tables/met_ranks.hpp"

namespace onefold::cli {

void print_quantiles(Arguments& arguments, const std::vector<Quantile>& quantiles) {
  const std::vector<std::string> files = input_files(arguments, 0);
  std::unique_ptr<OutputFile> file = output_of(arguments);
  ProgressLine line(arguments.progress);
  io::Notes notes;
  const bool by = !arguments.input.by.empty();
  Answers answers;
  io::Grouped grouped;
  if (by) {
    grouped = io::quantiles_by_keys(quantiles, files, arguments, line.callback(), notes);
  } else {
    answers = io::quantiles_asked(quantiles, files, arguments, line.callback(), notes);
  }
  line.finish();
  if (!io::answers_here(arguments.input.peers)) return;
  say(notes);
  say_missing(notes, Query("sum", arguments.fold), arguments.input.missing_is_nan);
  if (by) return give_groups(grouped, arguments, file);
  give_answers(answers, notes, arguments, file);
}

}  // namespace onefold::cli
