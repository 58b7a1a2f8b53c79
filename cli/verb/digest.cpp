#include "cli/option.hpp"
#include "cli/request.hpp"
#include "cli/state_file.hpp"
#include "cli/writer.hpp"

namespace onefold::cli {
namespace {

void run_digest(Arguments& arguments) {
  const std::vector<std::string> files = named_files(arguments, 0);
  if (files.empty()) {
    throw Error(ErrorCode::bad_option, "digest needs states: onefold digest all.of");
  }
  std::string text;
  for (const std::string& file : files) text += digest_of(file) + "  " + file + "\n";
  Writer out;
  out.write(text);
  out.flush();
}

constexpr const Option* digest_options[] = {&option::files_from, &option::null, &option::help,
                                            &option::version};

}  // namespace

const Verb digest_verb{.name = "digest",
                       .usage = "digest STATE...",
                       .idea = "Print the SHA-256 of states. Equal data give equal states.",
                       .options = digest_options,
                       .examples = "onefold digest all.of\nonefold digest here.of there.of",
                       .run = run_digest};

}  // namespace onefold::cli
