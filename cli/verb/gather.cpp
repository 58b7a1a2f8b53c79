#include <algorithm>
#include <charconv>

#include "cli/alias.hpp"
#include "cli/option.hpp"
#include "cli/part_numbers.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"
#include "cli/state_file.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace onefold::cli {
namespace {

const Option first{"first", "K",
                   "index of this part's first element in the whole data, for argmin and argmax",
                   nullptr};
const Option share{
    "share", "K/N",
    "gather only the K-th of N equal shares, as part K; text files are shared as whole files",
    nullptr};
const Option part{
    "part", "N", "number of this part, with which merge finds missing and repeated parts", nullptr};

io::Share parse_share(const std::string& text) {
  io::Share share;
  const char* const end = text.data() + text.size();
  const auto [slash, bad] = std::from_chars(text.data(), end, share.index);
  const bool cut = bad == std::errc() && slash != end && *slash == '/';
  const auto [stop, worse] = cut ? std::from_chars(slash + 1, end, share.of)
                                 : std::from_chars_result{end, std::errc::invalid_argument};
  if (worse != std::errc() || stop != end || share.index < 1 || share.index > share.of) {
    throw Error(ErrorCode::bad_option, "--share \"" + text +
                                           "\" is not valid; write K/N, such as 3/8, with K "
                                           "from 1 to N");
  }
  --share.index;
  return share;
}

void run_gather(Arguments& arguments) {
  if (arguments.words.empty()) {
    throw Error(ErrorCode::bad_option, "gather needs an op: onefold gather mean FILE --state x.of");
  }
  Query query(own_names(arguments.words[0]), arguments.fold);
  if (!arguments.own.contains("state")) {
    throw Error(ErrorCode::bad_option, "gather needs a file for the state: --state FILE.of");
  }
  StateFile state;
  if (const auto given = arguments.own.find("part"); given != arguments.own.end()) {
    state.parts = parse_parts("part", given->second);
  }
  if (const auto given = arguments.own.find("first"); given != arguments.own.end()) {
    const std::string& text = given->second;
    const auto [stop, error] =
        std::from_chars(text.data(), text.data() + text.size(), query.options.first);
    if (error != std::errc() || stop != text.data() + text.size()) {
      throw Error(ErrorCode::bad_option,
                  "--first \"" + text + "\" is not valid; write the index of the first element");
    }
  }
  if (const auto given = arguments.own.find("share"); given != arguments.own.end()) {
    const io::Share share = parse_share(given->second);
    arguments.input.share = share;
    state.shares = share.of;
    const Ranges own(share.index + 1, share.index + 2);
    if (!state.parts.empty() && state.parts != own) {
      throw Error(ErrorCode::bad_option,
                  "--part " + parts_text(state.parts) + " with --share " + given->second +
                      ": a share already has a part number; leave --part out");
    }
    state.parts = own;
  }
  const std::vector<std::string> files = input_files(arguments, 1);
  const auto pipe = std::find_if(files.begin(), files.end(), is_stream);
  if (state.shares > 1 && pipe != files.end()) {
    throw Error(ErrorCode::bad_option, "--share of " +
                                           std::string(*pipe == "-" ? "stdin (-)" : *pipe) +
                                           ": a pipe cannot be divided into shares; use a file, or "
                                           "gather each pipe with --part K");
  }
  if (arguments.fold.where) {
    throw Error(
        ErrorCode::bad_option,
        "gather --where does not support mask files; pass an expression of a table's columns");
  }
  ProgressLine line(arguments.progress);
  io::Notes notes;
  if (arguments.input.by.empty()) {
    state.state = io::gather_files(query, files, arguments.input, line.callback(),
                                   io::limits_of(arguments, files), &notes);
  } else {
    state.groups = io::gather_groups_asked(query, files, arguments, line.callback(), notes);
  }
  line.finish();
  say(notes);
  say_missing(notes, query, arguments.input.missing_is_nan);
  save_state(arguments.own.find("state")->second, state);
}

constexpr const Option* gather_options[] = {&part,
                                            &share,
                                            &first,
                                            &option::state,
                                            &option::nan,
                                            &option::dtype,
                                            &option::shape,
                                            &option::offset,
                                            &option::format,
                                            &option::header,
                                            &option::columns,
                                            &option::by,
                                            &option::where,
                                            &option::let,
                                            &option::memory,
                                            &option::missing,
                                            &option::bad_lines,
                                            &option::decimal,
                                            &option::delimiter,
                                            &option::thousands,
                                            &option::numbers,
                                            &option::non_numbers,
                                            &option::date_format,
                                            &option::skip,
                                            &option::comment,
                                            &option::units,
                                            &option::unite,
                                            &option::files_from,
                                            &option::null,
                                            &option::progress,
                                            &option::threads,
                                            &option::target,
                                            &option::help,
                                            &option::version};

}  // namespace

const Verb gather_verb{
    .name = "gather",
    .usage = "gather OP[,OP...] FILE...",
    .idea = "Save a partial result of files, called a state.",
    .options = gather_options,
    .examples =
        "onefold gather mean,var part7.npy --state part7.of --part 7\n"
        "onefold gather mean,var --columns temp day7.csv --state day7.of --part 7\n"
        "onefold gather mean,var --by city day7.csv --state day7.of\n"
        "onefold gather mean,var huge.npy --share 7/1000 --state part7.of\n"
        "onefold merge part*.of --parts 1..1000 --state all.of\n"
        "onefold answer mean all.of",
    .run = run_gather};

}  // namespace onefold::cli
