// Code that the verbs which fold files share.
#pragma once

#include <memory>

#include "cli/answer_format.hpp"
#include "cli/verb.hpp"
#include "file_fold/asked.hpp"
#include "file_fold/said.hpp"

namespace onefold::cli {

using io::check_statuses;
using io::column_text;
using io::describe_ops;
using io::describe_rows;
using io::DescribeRow;
using io::element_text;
using io::is_stream;
using io::limits_of;
using io::placed;
using io::PlaceText;
using io::refuse_beside;
using io::refuse_status;

// Calls f; its error says "describe" where it would list all those ops.
template <class F>
auto name_describe(F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    const std::string message = e.what();
    for (const bool groups : {false, true}) {
      const std::string ops = io::describe_ops(groups);
      if (!message.starts_with(ops)) continue;
      throw Error(e.code(), "describe" + message.substr(ops.size()));
    }
    throw;
  }
}

// The words from `first` on, or the names of --files-from.
//   throws  bad_option: both, --null without a list, a list that names no file
std::vector<std::string> named_files(const Arguments& arguments, std::size_t first);

// The files among them; "-" is stdin. None: stdin, if it is no terminal.
//   throws  bad_option: nothing to read, stdin twice, an op's name where no such file is
std::vector<std::string> input_files(const Arguments& arguments, std::size_t first);

// Folds them in one pass, with the progress line.
//   sink  as fold_files has it
Answers fold_with_progress(const Request& request, const std::vector<std::string>& files,
                           const Arguments& arguments, io::Notes& notes,
                           AnswerSink* sink = nullptr);

// What there is to say beside the answers, on stderr.
void say(const io::Notes& notes);
// How many values are missing, where they were left out or may have made NaN of an answer.
//   as_nan  they are NaN for the policy to decide on
void say_missing(const io::Notes& notes, const Request& request, bool as_nan);
// Opens the file of --output, unless another rank has the answers; none: they are printed.
//   throws  bad_option: --json beside it; cannot_write
std::unique_ptr<OutputFile> output_of(const Arguments& arguments);

// Prints answers of arrays or of the columns of a table; or writes them, and ends the file.
void give_answers(const Answers& answers, const io::Notes& notes, const Arguments& arguments,
                  std::unique_ptr<OutputFile>& file);

}  // namespace onefold::cli
