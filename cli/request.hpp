// What the verbs that fold files have in common.
#pragma once

#include <functional>

#include "cli/verb.hpp"
#include "file_fold/plan_beside.hpp"
#include "file_fold/table_fold.hpp"

namespace onefold::cli {

// The statistics of describe: ops, and their names in its table.
struct DescribeRow {
  const char* op;
  const char* name;
};
inline constexpr DescribeRow describe_rows[] = {
    {"count", "count"}, {"count_nan", "nan"}, {"count_inf", "inf"}, {"count_zero", "zeros"},
    {"sum", "sum"},     {"mean", "mean"},     {"std", "std"},       {"var", "var"},
    {"min", "min"},     {"argmin", "argmin"}, {"max", "max"},       {"argmax", "argmax"},
    {"norm1", "norm1"}, {"norm2", "norm2"}};
std::string describe_ops();  // "count,count_nan,..."

// Calls f; its error says "describe" where it would list all those ops.
template <class F>
auto name_describe(F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    const std::string message = e.what(), ops = describe_ops();
    if (!message.starts_with(ops)) throw;
    throw Error(e.code(), "describe" + message.substr(ops.size()));
  }
}

// The words from `first` on, or the names of --files-from.
//   throws  bad_option: both, --null without a list, a list that names no file
std::vector<std::string> named_files(const Arguments& arguments, std::size_t first);

// The files among them; "-" is stdin. None: stdin, if it is no terminal.
//   throws  bad_option: nothing to read, stdin twice, an op's name where no such file is
std::vector<std::string> input_files(const Arguments& arguments, std::size_t first);

// Whether a name is that of a pipe, a FIFO or a device, which can be read once; "-" is stdin.
bool is_stream(const std::string& path);

// What --memory allows, dealt out as the default is: 100 MiB, or for groups and streams a quarter
// of what is free. More allows no less of anything.
io::Limits limits_of(const Arguments& arguments, const std::vector<std::string>& files);

// Throws bad_option where another option is given that does not go with what one folds.
//   what   "--by folds ..."
//   other  "--axis"; null: there is none
void refuse_beside(const std::string& what, const char* other);

// What stands beside the one file in memory.
//   throws  bad_option: several files; options that do not go with segments
io::Beside beside_of(const Request& request, const std::vector<std::string>& files,
                     const Arguments& arguments);

// The request, on the device that --device auto stands for.
//   why  is told, and empty where it was not asked for
Request placed(const Request& request, const std::vector<std::string>& files,
               const Arguments& arguments, std::string* why = nullptr);

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
//   where  ": 2 in column temp", or nothing
void say_missing(Size all, const std::string& where, const Request& request, bool as_nan);

// What a message says of a place in an answer: " of element [1]", nothing if it is the only one.
using PlaceText = std::function<std::string(const Answer&, Size place)>;
std::string element_text(const Answer& answer, Size place);
// The same where the answers of a table stand under names: " of column temp".
PlaceText column_text(const io::Notes& notes);

// Throws the first bad status, naming its place: an op asked for by name has no answer then.
void check_statuses(const Answers& answers, const Options& options,
                    const PlaceText& text = element_text);
void refuse_status(const Answer& answer, Size place, Status status, const Options& options,
                   const PlaceText& text = element_text);

}  // namespace onefold::cli
