#include "cli/lab.hpp"
#include "onefold/system/jit/loaded.hpp"
#include "onefold/system/process.hpp"

namespace onefold::cli {

void run_lab(Arguments& a) {
  const std::string program = jit::plugin_file("onefold-lab");
  if (!system::is_program(program)) {
    throw Error(ErrorCode::cannot_open, "lab: its program is missing: " + program +
                                            "; in the source tree make lab builds it");
  }
  const std::string why = system::become_program(program, a.command_line);
  throw Error(ErrorCode::cannot_open, "lab: " + program + " does not start: " + why);
}

}  // namespace onefold::cli
