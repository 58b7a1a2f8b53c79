#include "cli/request.hpp"

#include <algorithm>

#include "cli/name_list.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/suggest.hpp"
#include "cli/writer.hpp"
#include "onefold/system/file.hpp"
#include "onefold/tables/met_ranks.hpp"
#include "onefold/tables/path_columns.hpp"

namespace onefold::cli {

std::vector<std::string> named_files(const Arguments& arguments, std::size_t first) {
  const auto& words = arguments.words;
  std::vector<std::string> files(
      words.begin() + static_cast<std::ptrdiff_t>(std::min(first, words.size())), words.end());
  if (arguments.files_from.empty()) {
    if (!arguments.null) return files;
    throw Error(ErrorCode::bad_option,
                "--null applies only to a list of files; pass the list with --files-from");
  }
  if (!files.empty()) {
    throw Error(ErrorCode::bad_option, "--files-from already names the files, but \"" + files[0] +
                                           "\" was named too; leave one of them out");
  }
  files = names_in(arguments.files_from, arguments.memory, arguments.null);
  if (arguments.files_from == "-" && std::count(files.begin(), files.end(), "-") > 0) {
    throw Error(
        ErrorCode::bad_option,
        "--files-from reads the names from stdin, so no name can be - (stdin); write the list "
        "to a file");
  }
  return files;
}

std::vector<std::string> input_files(const Arguments& arguments, std::size_t first) {
  std::vector<std::string> files = named_files(arguments, first);
  if (files.empty()) {
    if (stdin_is_terminal()) {
      throw Error(ErrorCode::bad_option,
                  "no input was given; name a file, or pipe data in (- is stdin)");
    }
    files.push_back("-");
  }
  if (std::count(files.begin(), files.end(), "-") > 1) {
    throw Error(ErrorCode::bad_option, "stdin (-) is named twice; it can be read only once");
  }
  check_names_of_files(arguments, files, first);
  return io::files_in_folders(files);
}

Answers fold_with_progress(const Query& query, const std::vector<std::string>& files,
                           const Arguments& arguments, io::Notes& notes, AnswerSink* sink) {
  ProgressLine line(arguments.progress);
  Answers answers = io::fold_asked(query, files, arguments, line.callback(), notes, sink);
  line.finish();
  return answers;
}

void say(const io::Notes& notes) {
  for (const std::string& sentence : io::said_of(notes)) print_error(sentence);
}

void say_missing(const io::Notes& notes, const Query& query, bool as_nan) {
  const std::string sentence = io::missing_said(notes, query, as_nan);
  if (!sentence.empty()) print_error(sentence);
}

std::unique_ptr<OutputFile> output_of(const Arguments& arguments) {
  if (arguments.output.empty()) return {};
  if (arguments.json) {
    throw Error(ErrorCode::bad_option,
                "--json prints to stdout, but --output writes to a file; leave one of them out");
  }
  std::unique_ptr<OutputFile> file;
  if (io::answers_here(arguments.input.peers)) {
    file = std::make_unique<OutputFile>(arguments.output);
  }
  return file;
}

void give_answers(const Answers& answers, const io::Notes& notes, const Arguments& arguments,
                  std::unique_ptr<OutputFile>& file) {
  if (file && !arguments.output.ends_with(".json") &&
      std::ranges::count(notes.in_parts, true) > 0) {
    throw Error(ErrorCode::unsupported,
                "--output " + arguments.output +
                    ": its format cannot hold complex answers; write the answer of one op to a "
                    ".npy file, those of several ops to a .json file");
  }
  if (file) {
    const AnswerTable table = table_of(answers, notes.columns, arguments.precision);
    return write_answers(*file, arguments.output, table, arguments.precision);
  }
  Writer out;
  const Style style = style_of_stdout(arguments.json, arguments.precision, arguments.mpi);
  // describe of a table without columns of numbers
  const bool no_column =
      arguments.input.describes && !notes.read.empty() && answers.list[0].status.empty();
  if ((notes.columns.empty() && !no_column) ||
      (notes.bare && answers.list.size() == 1 && !style.json)) {
    print_answers(out, answers, style, notes);
  } else {
    print_columns(out, answers, notes.columns, style);
  }
  out.flush();
}

}  // namespace onefold::cli
