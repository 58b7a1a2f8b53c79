#include "cli/option.hpp"
#include "cli/writer.hpp"

namespace onefold::cli {
namespace {

std::string words_of(const Verb& verb) {
  std::string words;
  for (const Option* option : verb.options) words += " --" + std::string(option->name);
  return words.substr(1);
}

std::string first_words() {
  std::string words;
  for (const Verb* verb : verbs()) words += std::string(verb->name) + " ";
  for (const std::string_view op : op_names()) words += std::string(op) + " ";
  words.pop_back();
  return words;
}

// The word before the cursor decides: the first word completes to verbs and ops, a dash to options.
std::string bash_script() {
  std::string cases;
  for (const Verb* verb : verbs()) {
    if (verb != find_verb("fold")) {
      cases += "    " + std::string(verb->name) + ") options=\"" + words_of(*verb) + "\" ;;\n";
    }
  }
  return "_onefold() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} options\n"
         "  COMPREPLY=()\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases + "    *) options=\"" + words_of(*find_verb("fold")) +
         "\" ;;\n"
         "  esac\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ] && [[ $word != -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"" +
         first_words() +
         "\" -- \"$word\"))\n"
         "  elif [[ $word == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o default -F _onefold onefold\n";
}

// Returns a string in single quotes, in which fish knows \' and \\.
std::string fish_quote(std::string_view s) {
  std::string text = "'";
  for (const char c : s) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c;
  }
  return text + "'";
}

std::string fish_script() {
  std::string text;
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
              "' -l " + option->name + (option->value == nullptr ? "" : " -r") + " -d " +
              fish_quote(option->help) + "\n";
    }
  }
  return text;
}

void run_completion(Arguments& arguments) {
  const std::string shell = arguments.words.empty() ? "" : arguments.words[0];
  if (arguments.words.size() != 1 || (shell != "bash" && shell != "zsh" && shell != "fish")) {
    throw Error(ErrorCode::bad_option, "completion takes a shell: bash, zsh or fish");
  }
  Writer out;
  if (shell == "zsh") out.write("autoload -U +X bashcompinit && bashcompinit\n");
  out.write(shell == "fish" ? fish_script() : bash_script());
  out.flush();
}

constexpr const Option* completion_options[] = {&option::help, &option::version};

}  // namespace

const Verb completion_verb{.name = "completion",
                           .usage = "completion SHELL",
                           .idea = "A script that completes verbs, ops and options in a shell.",
                           .options = completion_options,
                           .examples =
                               "onefold completion bash > /etc/bash_completion.d/onefold\n"
                               "onefold completion fish > ~/.config/fish/completions/onefold.fish",
                           .run = run_completion};

}  // namespace onefold::cli
