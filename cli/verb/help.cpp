#include "cli/help.hpp"

#include "cli/alias.hpp"
#include "cli/option.hpp"

namespace onefold::cli {
namespace {

void run_help(Arguments& arguments) {
  Writer out;
  if (arguments.words.size() > 1) {
    throw Error(ErrorCode::bad_option, "help takes one word: a verb, an op or an option");
  }
  if (arguments.words.empty()) {
    print_help(out);
  } else if (arguments.words[0] == "errors") {
    print_errors(out);
  } else if (const Verb* verb = find_verb(arguments.words[0])) {
    print_help(out, *verb);
  } else {
    const std::string word = own_names(arguments.words[0]);
    if (is_op(word)) {
      print_help_of_op(out, word);
    } else if (!print_help_of_option(out, word)) {
      refuse_word(word);
    }
  }
  out.flush();
}

constexpr const Option* help_options[] = {&option::help, &option::version};

}  // namespace

const Verb help_verb{
    .name = "help",
    .usage = "help [TOPIC]",
    .idea = "Explain a verb, an operation, an option or the exit statuses.",
    .options = help_options,
    .examples =
        "onefold help\nonefold help describe\nonefold help var\nonefold help columns\n"
        "onefold help errors",
    .run = run_help};

}  // namespace onefold::cli
