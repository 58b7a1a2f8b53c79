#include "cli/quantiles.hpp"

#include "cli/option.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"

namespace onefold::cli {

void print_quantiles(Arguments& arguments, const std::vector<io::Quantile>& quantiles) {
  const std::vector<std::string> files = input_files(arguments, 0);
  ProgressLine line(arguments.progress);
  io::Notes notes;
  const Answers answers = io::quantiles_asked(quantiles, files, arguments, line.callback(), notes);
  line.finish();
  say(notes);
  say_missing(notes, Request("sum", arguments.fold), arguments.input.missing_is_nan);
  Writer out;
  const Style style = style_of_stdout(arguments.json, arguments.precision);
  if (notes.columns.empty() || (notes.bare && quantiles.size() == 1 && !style.json)) {
    print_answers(out, answers, style);
  } else {
    print_columns(out, answers, notes.columns, style);
  }
  out.flush();
}

}  // namespace onefold::cli
