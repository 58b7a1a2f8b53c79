#include "cli/lab.hpp"
#include "onefold/system/jit/loaded.hpp"
#include "onefold/system/process.hpp"

namespace onefold::cli {

void run_lab(Arguments& a) {
  const std::string program = jit::plugin_file("onefold-lab");
  if (!system::is_program(program)) {
    throw Error(ErrorCode::cannot_open, "lab: its program is missing: " + program +
                                            "; build it with make lab in the source tree");
  }
  const std::string why = system::become_program(program, a.command_line);
  throw Error(ErrorCode::cannot_open, "lab: " + program + " could not be started: " + why);
}

}  // namespace onefold::cli
