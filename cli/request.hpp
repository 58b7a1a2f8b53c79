// Code that the verbs which fold files share.
#pragma once

#include <memory>

#include "cli/answer_format.hpp"
#include "cli/verb.hpp"
#include "onefold/tables/asked.hpp"
#include "onefold/tables/said.hpp"

namespace onefold::cli {

using io::check_statuses;
using io::column_text;
using io::describe_ops;
using io::describe_rows;
using io::DescribeRow;
using io::element_text;
using io::is_stream;
using io::limits_of;
using io::PlaceText;
using io::refuse_beside;
using io::refuse_status;

// Calls f; in its error, "describe" replaces the list of all its ops.
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

// Returns the words from `first` on, or the names of --files-from.
//   throws  bad_option: both are given, --null without a list, a list without names
std::vector<std::string> named_files(const Arguments& arguments, std::size_t first);

// Returns the input files; "-" is stdin. If there are none: stdin, unless it is a terminal.
//   throws  bad_option: nothing to read, stdin twice, an op's name that is no file
std::vector<std::string> input_files(const Arguments& arguments, std::size_t first);

// Folds the files in one pass, and shows the progress line.
//   sink  as for fold_files
Answers fold_with_progress(const Query& query, const std::vector<std::string>& files,
                           const Arguments& arguments, io::Notes& notes,
                           AnswerSink* sink = nullptr);

// Prints notes about the answers on stderr.
void say(const io::Notes& notes);
// Says how many values are missing, if they were left out or may have made an answer NaN.
//   as_nan  missing values are NaN, which the policy treats
void say_missing(const io::Notes& notes, const Query& query, bool as_nan);
// Opens the file of --output, unless another rank writes the answers; null: they are printed.
//   throws  bad_option: together with --json; cannot_write
std::unique_ptr<OutputFile> output_of(const Arguments& arguments);

// Prints the answers of arrays or of a table's columns, or writes them and finishes the file.
void give_answers(const Answers& answers, const io::Notes& notes, const Arguments& arguments,
                  std::unique_ptr<OutputFile>& file);

}  // namespace onefold::cli
