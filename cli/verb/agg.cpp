// onefold agg LIST FILE...: columns of a table, each by ops of its own.
#include "onefold/tables/aggregate.hpp"

#include "cli/answer_format.hpp"
#include "cli/groups.hpp"
#include "cli/json.hpp"
#include "cli/number.hpp"
#include "cli/option.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"

namespace onefold::cli {
namespace {

constexpr Option having_option{
    "having", "EXPR", "keep the groups of which this is true: 'sum(price) > 100 and n >= 3'",
    nullptr};

// Prints an object for each group: {"city": "Oslo", "sum(price)": 3.5}.
void print_flat(Writer& out, const AnswerTable& table, int precision) {
  for (Size line = 0; line < table.lines; ++line) {
    std::string& text = out.text();
    for (const AnswerTable::Column& c : table.columns) {
      text += (&c == table.columns.data() ? "{" : ", ") + quote(c.name) + ": ";
      if (c.answer != nullptr) {
        append_json(text, AnswerTable::value_of(c, line), precision);
      } else if (const auto value = c.text(line); !value) {
        text += "null";
      } else {
        text += c.type ? std::string(*value) : quote(*value);
      }
    }
    text += "}\n";
    out.flush_if_full();
  }
}

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
  say(notes);
  say_missing(notes, Query("sum", arguments.fold), arguments.input.missing_is_nan);
  AnswerTable table = table_of(grouped, arguments.precision);
  if (grouped.by.empty()) {
    // Without keys there is a column of names, which the one column of answers lacks.
    table.columns.erase(table.columns.begin());
    table.lines = grouped.keys.size();
  }
  table.json = [&](Writer& out) { print_flat(out, table, arguments.precision); };
  if (file) return write_answers(*file, arguments.output, table, arguments.precision);
  Writer out;
  if (arguments.json) {
    table.json(out);
  } else {
    print_lines_of(out, table, arguments.precision);
  }
  out.flush();
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
