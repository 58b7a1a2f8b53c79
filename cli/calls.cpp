#include "cli/calls.hpp"

#include "cli/answer_format.hpp"
#include "cli/groups.hpp"
#include "cli/json.hpp"
#include "cli/number.hpp"
#include "cli/output.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"

namespace onefold::cli {
namespace {

// Prints an object for each group: {"city": "Oslo", "sum(price)": 3.5}.
void print_flat(Writer& out, const AnswerTable& table, int precision) {
  for (Size line = 0; line < table.lines; ++line) {
    std::string& text = out.text();
    for (const AnswerTable::Column& c : table.columns) {
      text += (&c == table.columns.data() ? "{" : ", ") + quote(c.name) + ": ";
      if (c.answer != nullptr) {
        const Value value = AnswerTable::value_of(c, line);
        if (value.status == Status::empty_input) {
          text += "null";
        } else {
          append_json(text, value, precision);
        }
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

}  // namespace

void run_calls(Arguments& arguments, const char* missing, const FoldTables& fold) {
  if (arguments.words.empty()) throw Error(ErrorCode::bad_option, missing);
  const std::vector<std::string> files = input_files(arguments, 1);
  const std::unique_ptr<OutputFile> file = output_of(arguments);
  io::Notes notes;
  ProgressLine line(arguments.progress);
  const io::Grouped grouped = fold(files, line.callback(), notes);
  line.finish();
  io::refuse_repeated_keys(grouped);
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
    print_lines_of(out, table, style_of_stdout(false, arguments.precision, arguments.mpi));
  }
  out.flush();
}

}  // namespace onefold::cli
