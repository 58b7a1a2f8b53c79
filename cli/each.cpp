#include "cli/each.hpp"

#include "cli/json.hpp"
#include "cli/number.hpp"
#include "cli/print.hpp"
#include "cli/request.hpp"
#include "cli/writer.hpp"

namespace onefold::cli {
namespace {

// The text of the column between the file and the values.
const char* kind_of(const Answers& answers, const io::Notes& notes) {
  if (!notes.columns.empty()) return "column";
  return answers.list[0].shape.rank() == 0 ? "" : "index";
}

void append_header(std::string& text, const Answers& answers, const std::string& kind) {
  text += "file";
  if (!kind.empty()) text += '\t' + kind;
  for (const Answer& answer : answers.list) text += '\t' + answer.op;
  text += '\n';
}

void append_lines(std::string& text, const std::string& file, const Answers& answers,
                  const io::Notes& notes, int precision) {
  const Answer& first = answers.list[0];
  for (Size i = 0; i < first.size(); ++i) {
    text += printable(file);
    if (!notes.columns.empty()) {
      text += '\t' + printable(notes.columns[i]);
    } else if (first.shape.rank() > 0) {
      text += '\t' + index_text(first.shape, i);
    }
    for (const Answer& answer : answers.list) {
      text += '\t';
      append_text(text, answer[i], precision);
    }
    text += '\n';
  }
}

}  // namespace

void check_each(const Arguments& arguments) {
  if (arguments.each && !arguments.output.empty()) {
    throw Error(ErrorCode::bad_option,
                "--output writes one answer; --each prints one for each file");
  }
  if (arguments.each &&
      !(arguments.weights.empty() && arguments.fweights.empty() && arguments.offsets.empty())) {
    throw Error(ErrorCode::bad_option, "weights and offsets are of one file, not of --each");
  }
  if (arguments.keep_going && !arguments.each) {
    throw Error(ErrorCode::bad_option,
                "--keep-going is for --each: one answer of all files but some would be wrong");
  }
}

void fold_each(const Request& request, const std::vector<std::string>& files,
               const Arguments& arguments, std::span<const char* const> names, bool checks) {
  std::string text;  // nothing is printed unless it is complete
  std::string kind;
  std::optional<Error> failed;
  Size broken = 0;
  for (const std::string& file : files) {
    try {
      io::Notes notes;
      Answers answers = fold_with_progress(request, {file}, arguments, notes);
      const PlaceText place = column_text(notes);
      const auto place_in_file = [&](const Answer& answer, Size k) {
        return place(answer, k) + " of " + printable(file);
      };
      if (checks) check_statuses(answers, arguments.fold, place_in_file);
      for (std::size_t k = 0; k < names.size(); ++k) answers.list[k].op = names[k];
      for (const std::string& warning : notes.warnings) print_error(warning);
      say_missing(notes, request, arguments.input.missing_is_nan);
      if (arguments.json) {
        text += "{\"file\": " + quote(file) + ", \"answers\": ";
        text += json_text(answers, notes.columns, arguments.precision) + "}\n";
        continue;
      }
      const std::string own = kind_of(answers, notes);
      const bool header = answers.list.size() > 1 || !own.empty();
      if (header && (text.empty() || own != kind)) append_header(text, answers, own);
      kind = own;
      append_lines(text, file, answers, notes, arguments.precision);
    } catch (const Error& e) {
      if (!arguments.keep_going) throw;
      print_error(e.what());
      ++broken;
      if (!failed) failed = e;
    }
  }
  Writer out;
  out.write(text);
  out.flush();
  if (failed) {
    throw Error(failed->code(), std::to_string(broken) + " of " + std::to_string(files.size()) +
                                    " files could not be folded; the status is that of the first");
  }
}

}  // namespace onefold::cli
