#include "cli/option.hpp"
#include "cli/request.hpp"
#include "cli/state_file.hpp"

namespace onefold::cli {
namespace {

void run_remove(Arguments& arguments) {
  const std::vector<std::string> files = named_files(arguments, 0);
  if (files.size() < 2) {
    throw Error(ErrorCode::bad_option,
                "remove needs a state and the states to take out of it; write onefold remove "
                "all.of old.of --state rest.of");
  }
  const auto to = arguments.own.find("state");
  if (to == arguments.own.end()) {
    throw Error(ErrorCode::bad_option, "remove needs a file for the state: --state FILE.of");
  }
  save_state(to->second, remove_states(files));
}

constexpr const Option* remove_options[] = {&option::state, &option::files_from, &option::null,
                                            &option::help, &option::version};

}  // namespace

const Verb remove_verb{.name = "remove",
                       .usage = "remove STATE PART...",
                       .idea = "Take states out of a merged state.",
                       .options = remove_options,
                       .examples = "onefold remove all.of monday.of --state rest.of",
                       .run = run_remove};

}  // namespace onefold::cli
