#include "cli/option.hpp"
#include "cli/request.hpp"
#include "cli/state_file.hpp"

namespace onefold::cli {
namespace {

void run_merge(Arguments& arguments) {
  const std::vector<std::string> files = named_files(arguments, 0);
  if (files.empty()) {
    throw Error(ErrorCode::bad_option, "merge needs states: onefold merge *.of --state all.of");
  }
  const auto to = arguments.own.find("state");
  if (to == arguments.own.end()) {
    throw Error(ErrorCode::bad_option, "merge needs a file for the state: --state FILE.of");
  }
  const StateFile all = merge_states(files);
  check_parts(all, arguments);
  save_state(to->second, all);
}

constexpr const Option* merge_options[] = {&option::state, &option::parts, &option::files_from,
                                           &option::null,  &option::help,  &option::version};

}  // namespace

const Verb merge_verb{
    .name = "merge",
    .usage = "merge STATE...",
    .idea = "Merge states into one, in any order.",
    .options = merge_options,
    .examples =
        "onefold merge part*.of --state all.of\n"
        "onefold merge states/ --state all.of  # all *.of of a folder\n"
        "onefold merge part*.of --parts 1..99 --state all.of  # fails if one is missing\n"
        "find . -name '*.of' -print0 | onefold merge --files-from - -0 --state all.of",
    .run = run_merge};

}  // namespace onefold::cli
