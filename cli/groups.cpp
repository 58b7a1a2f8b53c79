#include "cli/groups.hpp"

#include "cli/answer_format.hpp"
#include "cli/json.hpp"
#include "cli/number.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"
#include "file_fold/group_order.hpp"
#include "file_fold/met_ranks.hpp"
#include "file_fold/time_fold.hpp"
#include "io/row_reader.hpp"
#include "io/table_rows.hpp"

namespace onefold::cli {
namespace {

// Returns whether a column of keys is printed as integers or bools in JSON or .npy.
bool is_plain(const io::Grouped& grouped, std::size_t k) {
  return k < grouped.types.size() && grouped.types[k].has_value();
}

using io::is_null;
std::string_view text_of(const io::Grouped& grouped, std::string_view part) {
  return is_null(grouped, part) ? "null" : part;
}

void append_answer(std::string& text, const io::Grouped& grouped, std::size_t k, Size g, Size c,
                   int precision) {
  if (k >= grouped.of_text.size() || !grouped.of_text[k]) {
    append_json(text, grouped.answers.list[k][g * grouped.columns.size() + c], precision);
  } else {
    const auto found = grouped.text(k, g, c);
    text += found ? quote(*found) : "null";
  }
}

void append_object(std::string& text, const io::Grouped& grouped, Size g, int precision) {
  const auto parts = io::parts_of_key(grouped.keys[g], grouped.by.size());
  text += "{\"by\": {";
  for (std::size_t k = 0; k < parts.size(); ++k) {
    text += (k == 0 ? "" : ", ") + quote(grouped.by[k]) + ": ";
    const bool bare = is_plain(grouped, k) || is_null(grouped, parts[k]);
    const std::string_view part = text_of(grouped, parts[k]);
    text += bare ? std::string(part) : quote(part);
  }
  for (Size c = 0; c < grouped.columns.size(); ++c) {
    text += "}, " + quote(grouped.columns[c]) + ": {";
    for (std::size_t k = 0; k < grouped.answers.list.size(); ++k) {
      text += (k == 0 ? "" : ", ") + quote(grouped.answers.list[k].op) + ": ";
      append_answer(text, grouped, k, g, c, precision);
    }
  }
  text += "}}\n";
}

// Appends the answers of columns without keys, in the form of print_columns.
void append_columns(std::string& text, const io::Grouped& grouped, int precision) {
  text += '{';
  for (std::size_t k = 0; k < grouped.answers.list.size(); ++k) {
    text += (k == 0 ? "" : ", ") + quote(grouped.answers.list[k].op) + ": {";
    for (Size c = 0; c < grouped.columns.size(); ++c) {
      text += (c == 0 ? "" : ", ") + quote(grouped.columns[c]) + ": ";
      append_answer(text, grouped, k, 0, c, precision);
    }
    text += '}';
  }
  text += "}\n";
}

}  // namespace

void print_objects(Writer& out, const io::Grouped& grouped, int precision) {
  if (grouped.by.empty()) return append_columns(out.text(), grouped, precision);
  for (Size g = 0; g < grouped.keys.size(); ++g) {
    append_object(out.text(), grouped, g, precision);
    out.flush_if_full();
  }
}

void fold_groups(const Request& request, const std::vector<std::string>& files,
                 const Arguments& arguments) {
  if (arguments.each) refuse_beside("--by folds the columns of a table by their keys", "--each");
  io::check_groups(arguments);
  const bool here = io::answers_here(arguments.input.peers);
  std::unique_ptr<OutputFile> file = output_of(arguments);
  io::Notes notes;
  ProgressLine line(arguments.progress);
  const io::Grouped grouped = io::group_asked(request, files, arguments, line.callback(), notes);
  line.finish();
  if (!here) return;
  say(notes);
  say_missing(notes, request, arguments.input.missing_is_nan);
  give_groups(grouped, arguments, file);
}

void fold_times(const Request& request, const std::vector<std::string>& files,
                const Arguments& arguments) {
  if (arguments.each) refuse_beside("columns of times are folded for all files", "--each");
  std::unique_ptr<OutputFile> file = output_of(arguments);
  io::Notes notes;
  ProgressLine line(arguments.progress);
  const io::Grouped grouped = io::fold_times(request, files, arguments, line.callback(), notes);
  line.finish();
  if (!io::answers_here(arguments.input.peers)) return;
  say(notes);
  say_missing(notes, request, false);
  give_groups(grouped, arguments, file);
}

void give_groups(const io::Grouped& grouped, const Arguments& arguments,
                 std::unique_ptr<OutputFile>& file) {
  const AnswerTable table = table_of(grouped, arguments.precision);
  if (file) return write_answers(*file, arguments.output, table, arguments.precision);
  Writer out;
  const bool alone =
      grouped.by.empty() && grouped.answers.list.size() == 1 && grouped.columns.size() == 1;
  if (arguments.json) {
    table.json(out);
  } else if (alone) {
    const AnswerTable::Column& only = table.columns[1];
    if (only.answer != nullptr) {
      append_text(out.text(), AnswerTable::value_of(only, 0));
    } else {
      out.text() += cell_text(only.text(0), table.nulls);
    }
    out.text() += '\n';
  } else {
    print_lines_of(out, table, arguments.precision);
  }
  out.flush();
}

}  // namespace onefold::cli
