#include "cli/request.hpp"

#include <unistd.h>

#include <algorithm>

#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/writer.hpp"
#include "io/fold_files.hpp"

namespace onefold::cli {

std::string describe_ops() {
  std::string ops;
  for (const DescribeRow& row : describe_rows)
    ops += (ops.empty() ? "" : ",") + std::string(row.op);
  return ops;
}

std::vector<std::string> input_files(const Arguments& arguments, std::size_t first) {
  const auto& words = arguments.words;
  std::vector<std::string> files(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
  if (files.empty()) {
    if (stdin_is_terminal()) {
      throw Error(ErrorCode::bad_option,
                  "there is nothing to read: name a file, or pipe data in (- is stdin)");
    }
    files.push_back("-");
  }
  if (std::count(files.begin(), files.end(), "-") > 1) {
    throw Error(ErrorCode::bad_option, "stdin (-) is named twice; it can be read once");
  }
  const std::vector<std::string_view> ops = op_names();
  for (const std::string& file : files) {
    if (std::find(ops.begin(), ops.end(), file) != ops.end() && ::access(file.c_str(), F_OK) != 0) {
      throw Error(ErrorCode::bad_option, "there is no file " + file +
                                             "; if the op is meant, join ops by commas: " +
                                             (first == 1 ? words[0] : "sum") + "," + file);
    }
  }
  return files;
}

Answers fold_with_progress(const std::string& ops, const std::vector<std::string>& files,
                           const Arguments& arguments, io::Notes& notes) {
  ProgressLine line(arguments.progress);
  Answers answers =
      io::fold_files(ops, files, arguments.input, arguments.fold, line.callback(), {}, &notes);
  line.finish();
  return answers;
}

void say(const io::Notes& notes) {
  for (const std::string& warning : notes.warnings) print_error(warning);
  if (notes.left_out.empty()) return;
  std::string names;
  for (const std::string& name : notes.left_out) names += (names.empty() ? "" : ", ") + name;
  print_error(std::string(notes.left_out.size() == 1 ? "a column without numbers is"
                                                     : "columns without numbers are") +
              " left out: " + names);
}

void check_statuses(const Answers& answers, const Options& options) {
  for (const Answer& answer : answers.list) {
    const auto bad = std::find_if(answer.status.begin(), answer.status.end(),
                                  [](Status s) { return s != Status::ok; });
    if (bad == answer.status.end()) continue;
    const std::string index =
        index_text(answer.shape, static_cast<Size>(bad - answer.status.begin()));
    const std::string where = answer.op + (index.empty() ? "" : " of element [" + index + "]");
    switch (*bad) {
      case Status::overflow:
        throw Error(ErrorCode::overflow, where + ": the exact value does not fit " +
                                             name_of(answer.dtype) + " (overflow); ask for " +
                                             (options.result ? "another" : "a wider type with") +
                                             " --result, such as f64");
      case Status::nan_found:
        throw Error(ErrorCode::nan_found,
                    where + ": there is a NaN, and --nan raise was given (nan_found)");
      default:
        throw Error(ErrorCode::empty_input,
                    where +
                        ": there is nothing to fold, and this op has no value for that "
                        "(empty_input)");
    }
  }
}

}  // namespace onefold::cli
