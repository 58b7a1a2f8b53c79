#include "cli/complete.hpp"
#include "cli/option.hpp"
#include "cli/writer.hpp"
#include "onefold/tables/input_words.hpp"

namespace onefold::cli {
namespace {

// The program itself knows what may stand at the cursor, since that may be in a file. A name that
// the shell would split is quoted; a comma needs no quotes.
constexpr const char* bash_script =
    "_onefold() {\n"
    "  local word IFS=$'\\n'\n"
    "  COMPREPLY=()\n"
    "  for word in $(\"${COMP_WORDS[0]/#\\~/$HOME}\" completion words \"$COMP_CWORD\" -- \\\n"
    "    \"${COMP_WORDS[@]}\" 2>/dev/null); do\n"
    "    printf -v word %q \"$word\"\n"
    "    COMPREPLY+=(\"${word//\\\\,/,}\")\n"
    "  done\n"
    "}\n"
    "complete -o default -F _onefold onefold\n";

// Returns a string in single quotes, in which fish knows \' and \\.
std::string fish_quote(std::string_view s) {
  std::string text = "'";
  for (const char c : s) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c;
  }
  return text + "'";
}

// How fish completes an option's value: -r also offers files, -x does not.
std::string fish_value(const Option& option) {
  if (option.value == nullptr) return "";
  const std::string_view value = option.value;
  const bool file = value.find("FILE") != value.npos || value.find(".npy") != value.npos ||
                    value.find("DIR") != value.npos;
  return std::string(file ? " -r" : " -x") + " -a '(__onefold_words)'";
}

std::string fish_script() {
  std::string text =
      "function __onefold_words\n"
      "  onefold completion words (count (commandline -opc)) -- (commandline -opc) "
      "(commandline -ct)\n"
      "end\n"
      "complete -c onefold -n 'string match -q \"*,*\" -- (commandline -ct); or not "
      "__fish_use_subcommand' -a '(__onefold_words)'\n";
  std::string others;
  for (const Verb* verb : verbs()) {
    text += "complete -c onefold -n __fish_use_subcommand -a " + std::string(verb->name) + " -d " +
            fish_quote(verb->idea) + "\n";
    if (verb != find_verb("fold")) others += " " + std::string(verb->name);
  }
  for (const std::string_view op : op_names()) {
    text += "complete -c onefold -n __fish_use_subcommand -a " + std::string(op) + "\n";
  }
  for (const Verb* verb : verbs()) {
    const bool fold = verb == find_verb("fold");
    for (const Option* option : verb->options) {
      text += "complete -c onefold -n '" +
              (fold ? "not __fish_seen_subcommand_from" + others
                    : "__fish_seen_subcommand_from " + std::string(verb->name)) +
              "' -l " + option->name + fish_value(*option) + " -d " + fish_quote(option->help) +
              "\n";
    }
  }
  return text;
}

// onefold completion words AT -- WORD...: prints what may stand in place of WORD[AT], for scripts.
void print_words(const std::vector<std::string>& words) {
  std::size_t at = 0;
  if (words.size() < 2 || !io::read_number(words[1], at)) {
    throw Error(ErrorCode::bad_option, "completion words needs a number and a command line");
  }
  Writer out;
  for (const std::string& word : completions(std::span(words).subspan(2), at)) {
    out.write(word + "\n");
  }
  out.flush();
}

void run_completion(Arguments& arguments) {
  const std::string shell = arguments.words.empty() ? "" : arguments.words[0];
  if (shell == "words") return print_words(arguments.words);
  if (arguments.words.size() != 1 || (shell != "bash" && shell != "zsh" && shell != "fish")) {
    throw Error(ErrorCode::bad_option, "completion takes a shell: bash, zsh or fish");
  }
  Writer out;
  if (shell == "zsh") out.write("autoload -U +X bashcompinit && bashcompinit\n");
  out.write(shell == "fish" ? fish_script() : bash_script);
  out.flush();
}

constexpr const Option* completion_options[] = {&option::help, &option::version};

}  // namespace

const Verb completion_verb{.name = "completion",
                           .usage = "completion SHELL",
                           .idea = "Print a script that completes commands in a shell.",
                           .options = completion_options,
                           .examples =
                               "source <(onefold completion bash)           # for this shell\n"
                               "onefold completion bash > /etc/bash_completion.d/onefold\n"
                               "onefold completion fish > ~/.config/fish/completions/onefold.fish",
                           .run = run_completion};

}  // namespace onefold::cli
