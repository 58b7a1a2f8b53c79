#include "cli/request.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "cli/name_list.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/writer.hpp"
#include "file_fold/fold_files.hpp"
#include "file_fold/load.hpp"
#include "file_fold/met_ranks.hpp"
#include "onefold/quicker_device.hpp"

namespace onefold::cli {

std::string describe_ops() {
  std::string ops;
  for (const DescribeRow& row : describe_rows)
    ops += (ops.empty() ? "" : ",") + std::string(row.op);
  return ops;
}

namespace {

// Bytes that the system says it could give.
Size available_memory() {
  std::ifstream in("/proc/meminfo");
  for (std::string word; in >> word;) {
    Size kib = 0;
    if (word == "MemAvailable:" && in >> kib) return kib * 1024;
  }
  return 0;
}

}  // namespace

bool is_stream(const std::string& path) {
  struct stat s {};
  const int failed = path == "-" ? ::fstat(STDIN_FILENO, &s) : ::stat(path.c_str(), &s);
  return failed == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

io::Limits limits_of(const Arguments& arguments, const std::vector<std::string>& files) {
  constexpr Size usual = Size{100} << 20;
  // Neither groups nor a pipe can be read again for states that did not fit.
  const bool once =
      !arguments.input.by.empty() || std::any_of(files.begin(), files.end(), is_stream);
  Size memory = arguments.memory;
  if (memory == 0) memory = once ? std::max(usual, available_memory() / 4) : usual;
  io::Limits limits;
  const double share = static_cast<double>(memory) / usual;
  const auto scale = [&](Size& bytes) {
    bytes = static_cast<Size>(static_cast<double>(bytes) * share);
  };
  if (share < 1) {
    for (Size* bytes : {&limits.state_bytes, &limits.window_bytes, &limits.text_batch_bytes,
                        &limits.table_bytes}) {
      scale(*bytes);
    }
  } else if (once) {
    limits.state_bytes += memory - usual;
  } else {
    scale(limits.state_bytes);
  }
  // What is printed is held until all is known to be right.
  if (const Size free = available_memory(); free > 0) limits.answer_bytes = free / 2;
  return limits;
}

std::vector<std::string> named_files(const Arguments& arguments, std::size_t first) {
  const auto& words = arguments.words;
  std::vector<std::string> files(
      words.begin() + static_cast<std::ptrdiff_t>(std::min(first, words.size())), words.end());
  if (arguments.files_from.empty()) {
    if (!arguments.null) return files;
    throw Error(ErrorCode::bad_option,
                "--null says how names in a list end; name the list by --files-from");
  }
  if (!files.empty()) {
    throw Error(ErrorCode::bad_option, "--files-from names the files, and \"" + files[0] +
                                           "\" is named beside it; give one of them");
  }
  files = names_in(arguments.files_from, arguments.memory, arguments.null);
  if (arguments.files_from == "-" && std::count(files.begin(), files.end(), "-") > 0) {
    throw Error(ErrorCode::bad_option,
                "--files-from reads stdin (-) to its end, and one of the names is - too; write "
                "the list into a file");
  }
  return files;
}

std::vector<std::string> input_files(const Arguments& arguments, std::size_t first) {
  std::vector<std::string> files = named_files(arguments, first);
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
      throw Error(ErrorCode::bad_option,
                  "there is no file " + file + "; if the op is meant, join ops by commas: " +
                      (first == 1 ? arguments.words[0] : "sum") + "," + file);
    }
  }
  return files;
}

void refuse_beside(const std::string& what, const char* other) {
  if (other == nullptr) return;
  throw Error(ErrorCode::bad_option,
              what + ", and " + other + " has no meaning there; leave one of them out");
}

io::Beside beside_of(const Request& request, const std::vector<std::string>& files,
                     const Arguments& arguments) {
  const io::Beside beside{arguments.weights, arguments.fweights, arguments.offsets};
  if (beside.any() && files.size() != 1) {
    throw Error(ErrorCode::bad_option, request.names() +
                                           ": weights and offsets are of one file, and " +
                                           std::to_string(files.size()) + " were named");
  }
  if (!arguments.offsets.empty()) {
    const Arguments& a = arguments;
    refuse_beside("--offsets folds segments of the first axis", !a.fold.axes.all()    ? "--axis"
                                                                : a.fold.keepdims     ? "--keepdims"
                                                                : !a.weights.empty()  ? "--weights"
                                                                : !a.fweights.empty() ? "--fweights"
                                                                                      : nullptr);
  }
  return beside;
}

namespace {

// Each rank folds a share of the segments: to it the others are empty.
Answers fold_segments_on_ranks(const std::string& ops, const io::LoadedArray& x,
                               io::LoadedArray& offsets, const Options& options, Peers& peers) {
  const ArrayRef all = offsets.ref();
  io::AnswerRun mine;
  if (all.shape.rank() == 1 && all.shape[0] > 0) {
    const auto segments = static_cast<Size>(all.shape[0]) - 1;
    const io::Share share = io::share_of(&peers);
    mine = {share.begin(segments), share.end(segments) - share.begin(segments)};
    const Size bytes = bytes_of(offsets.dtype), end = mine.first + mine.n;
    const auto copy = [&](Size from, Size to) {
      std::copy_n(offsets.bytes.begin() + static_cast<std::ptrdiff_t>(from * bytes), bytes,
                  offsets.bytes.begin() + static_cast<std::ptrdiff_t>(to * bytes));
    };
    for (Size k = 0; k < mine.first; ++k) copy(mine.first, k);
    for (Size k = end + 1; k <= segments; ++k) copy(end, k);
  }
  Answers answers = fold_segments(ops, x.ref(), offsets.ref(), options);
  // Answers of a segment stand side by side.
  const Size each = answers.list[0].shape.rank() == 0 || answers.list[0].shape[0] == 0
                        ? 0
                        : answers.list[0].size() / static_cast<Size>(answers.list[0].shape[0]);
  io::meet(peers, answers, {mine.first * each, mine.n * each});
  return answers;
}

// Weights and offsets stand beside an array in memory.
Answers fold_in_memory(const Request& request, const std::vector<std::string>& files,
                       const Arguments& arguments) {
  const std::string ops = request.names();
  Options options = request.options;
  io::LoadedArray weights, fweights;
  if (!arguments.weights.empty()) {
    weights = io::load_array(arguments.weights);
    options.weights = weights.ref();
  }
  if (!arguments.fweights.empty()) {
    fweights = io::load_array(arguments.fweights);
    options.fweights = fweights.ref();
  }
  Peers* const peers = arguments.input.peers;
  if (arguments.offsets.empty()) {
    if (!io::answers_here(peers)) return {};  // the first rank folds all of it
    const io::LoadedArray x = io::load_array(files[0], arguments.input);
    return fold(ops, x.ref(), options);
  }
  const io::LoadedArray x = io::load_array(files[0], arguments.input);
  io::LoadedArray offsets = io::load_array(arguments.offsets);
  if (peers == nullptr) return fold_segments(ops, x.ref(), offsets.ref(), options);
  return fold_segments_on_ranks(ops, x, offsets, options, *peers);
}

}  // namespace

Request placed(const Request& request, const std::vector<std::string>& files,
               const Arguments& arguments, std::string* why) {
  if (why != nullptr) why->clear();
  if (!arguments.quicker_device) return request;
  // Of streams nobody knows how long they are: 0, which the processor folds.
  Size bytes = 0;
  for (const std::string& file : files) {
    struct stat s {};
    if (::stat(file.c_str(), &s) == 0 && S_ISREG(s.st_mode)) bytes += static_cast<Size>(s.st_size);
  }
  const QuickerDevice quicker = quicker_device(bytes, request.options.threads);
  if (why != nullptr) *why = quicker.why;
  Options options = request.options;
  options.device = quicker.device;
  return Request(request.ops, options);
}

namespace {

// The columns that are folded where --weights names one of the table beside the one of --columns;
// nothing where it names a file.
std::string columns_with_weights(const Request& request, const Arguments& arguments) {
  const std::string &columns = arguments.input.columns, &weights = arguments.weights;
  if (weights.empty() || columns.empty() || ::access(weights.c_str(), F_OK) == 0) return {};
  for (const OpRow* op : request.ops) {
    if (op->about->takes_weights) continue;
    throw Error(ErrorCode::bad_option, std::string(op->name) +
                                           ": --weights has no meaning for it, "
                                           "only for average");
  }
  return columns + "," + weights;
}

}  // namespace

Answers fold_with_progress(const Request& request, const std::vector<std::string>& files,
                           const Arguments& arguments, io::Notes& notes, AnswerSink* sink) {
  if (std::string columns = columns_with_weights(request, arguments); !columns.empty()) {
    Arguments own = arguments;
    own.input.columns = std::move(columns);
    own.weights.clear();
    return fold_with_progress(request, files, own, notes, sink);
  }
  if (beside_of(request, files, arguments).any()) {
    Answers answers = fold_in_memory(request, files, arguments);
    if (sink == nullptr || !io::answers_here(arguments.input.peers)) return answers;
    Answer& a = answers.list[0];
    sink->begin(a.dtype, a.shape.rank());
    sink->write(0, a.data, a.status);
    return answers;
  }
  ProgressLine line(arguments.progress);
  Answers answers = io::fold_files(placed(request, files, arguments), files, arguments.input,
                                   line.callback(), limits_of(arguments, files), &notes, sink);
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

void say_missing(const io::Notes& notes, const Request& request, bool as_nan) {
  constexpr std::size_t most = 20;
  std::string text;
  std::size_t columns = 0;
  Size all = 0;
  for (std::size_t k = 0; k < notes.missing.size(); ++k) {
    if (notes.missing[k] == 0) continue;
    all += notes.missing[k];
    if (++columns > most) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(notes.missing[k]) + " in column " +
            printable(notes.folded[k]);
  }
  if (columns > most) text += ", ...";
  say_missing(all, ": " + text, request, as_nan);
}

void say_missing(Size all, const std::string& where, const Request& request, bool as_nan) {
  const bool counted = request.ops.size() == 1 && request.names() == "count_nan";
  if (all == 0 || (as_nan && (request.options.nan != NanPolicy::propagate || counted))) return;
  const std::string what =
      all == 1 ? "a value is missing and " : std::to_string(all) + " values are missing and ";
  print_error(what + (as_nan ? "taken as NaN" : "left out") + where);
}

std::string element_text(const Answer& answer, Size place) {
  const std::string index = index_text(answer.shape, place);
  return index.empty() ? "" : " of element [" + index + "]";
}

PlaceText column_text(const io::Notes& notes) {
  return [&notes](const Answer& answer, Size place) {
    if (place >= notes.columns.size()) return element_text(answer, place);
    return " of column " + printable(notes.columns[place]);
  };
}

void check_statuses(const Answers& answers, const Options& options, const PlaceText& text) {
  for (const Answer& answer : answers.list) {
    const auto bad = std::find_if(answer.status.begin(), answer.status.end(),
                                  [](Status s) { return s != Status::ok; });
    if (bad == answer.status.end()) continue;
    refuse_status(answer, static_cast<Size>(bad - answer.status.begin()), *bad, options, text);
  }
}

void refuse_status(const Answer& answer, Size place, Status status, const Options& options,
                   const PlaceText& text) {
  if (status == Status::ok) return;  // and there is no place
  const std::string where = answer.op + text(answer, place);
  switch (status) {
    case Status::overflow:
      throw Error(ErrorCode::overflow, where + ": the exact value does not fit " +
                                           name_of(answer.dtype) + " (overflow); ask for " +
                                           (options.result ? "another" : "a wider type with") +
                                           " --result, such as f64");
    case Status::nan_found:
      throw Error(ErrorCode::nan_found,
                  where + ": there is a NaN, and --nan raise was given (nan_found)");
    default: {
      const bool may_be_nan = is_floating(answer.dtype) && !answer.op.starts_with("arg");
      throw Error(ErrorCode::empty_input,
                  where +
                      ": there is nothing to fold, and this op has no value for that "
                      "(empty_input)" +
                      (may_be_nan ? "; --empty-nan makes NaN of it" : ""));
    }
  }
}

}  // namespace onefold::cli
