#include "cli/alias.hpp"
#include "cli/option.hpp"
#include "cli/request.hpp"
#include "cli/state_file.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace onefold::cli {
namespace {

void run_answer(Arguments& arguments) {
  const std::vector<std::string> files = named_files(arguments, 1);
  if (arguments.words.empty() || files.empty()) {
    throw Error(ErrorCode::bad_option,
                "answer needs an op and a state: onefold answer mean all.of");
  }
  const std::vector<const OpRow*> ops = parse_ops(own_names(arguments.words[0]));
  const StateFile all = merge_states(files);
  check_all(all, arguments);
  print_answers_of(all, ops, arguments);
}

constexpr const Option* answer_options[] = {
    &option::parts,   &option::files_from, &option::null,   &option::ddof, &option::correction,
    &option::initial, &option::empty_nan,  &option::result, &option::sort, &option::top,
    &option::json,    &option::precision,  &option::output, &option::help, &option::version};

}  // namespace

const Verb answer_verb{.name = "answer",
                       .usage = "answer OP[,OP...] STATE...",
                       .idea = "Print the answers of one or more saved states, merged.",
                       .options = answer_options,
                       .examples =
                           "onefold answer mean,var all.of\n"
                           "onefold answer var --ddof 1 --json part*.of --parts 1..1000\n"
                           "onefold answer mean states/\n"
                           "onefold answer mean --sort -mean --output means.csv cities*.of\n"
                           "onefold answer mean --files-from states.txt",
                       .run = run_answer};

}  // namespace onefold::cli
