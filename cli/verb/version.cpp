#include "cli/option.hpp"
#include "cli/writer.hpp"

namespace onefold::cli {
namespace {

void run_version(Arguments& arguments) {
  if (!arguments.words.empty()) {
    throw Error(ErrorCode::bad_option, "version takes no arguments; write onefold version");
  }
  Writer out;
  out.write("onefold " ONEFOLD_VERSION "\n");
  out.flush();
}

constexpr const Option* version_options[] = {&option::help, &option::version};

}  // namespace

const Verb version_verb{.name = "version",
                        .usage = "version",
                        .idea = "Print the version, as -V and --version do.",
                        .options = version_options,
                        .examples = "onefold version\nonefold -V",
                        .run = run_version};

}  // namespace onefold::cli
