// The only file that includes CLI11: it takes three seconds to compile.
#include "cli/parse.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>

#include "cli/suggest.hpp"
#include "onefold/engine/plan/nearest.hpp"

namespace onefold::cli {
namespace {

// Returns all options of all verbs, each name once; the verb decides what it means.
std::vector<const Option*> all_options() {
  std::vector<const Option*> all;
  for (const Verb* verb : verbs()) {
    for (const Option* option : verb->options) {
      const auto same = [&](const Option* other) {
        return std::string_view(other->name) == option->name;
      };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(option);
    }
  }
  return all;
}

// Suggests an option of the verb that the words name, or otherwise of `fold`.
[[noreturn]] void refuse_unknown(const std::string& token, std::span<const std::string> rest) {
  const Verb* verb = find_verb("fold");
  for (const std::string& word : rest) {
    if (word.empty() || word[0] == '-') continue;
    if (const Verb* const named = find_verb(word)) verb = named;
    break;
  }
  std::vector<std::string> dashed;
  for (const Option* option : verb->options) dashed.push_back("--" + std::string(option->name));
  const std::vector<std::string_view> names(dashed.begin(), dashed.end());
  const std::string name = token.substr(0, token.find('='));
  const std::string_view instead = option_instead(name);
  if (std::ranges::find(names, instead) != names.end()) {
    throw Error(ErrorCode::bad_option,
                "there is no option " + name + "; write " + std::string(instead));
  }
  throw Error(ErrorCode::bad_option, "there is no option " + name + did_you_mean(name, names) +
                                         "; onefold " +
                                         (verb == find_verb("fold") ? "OP" : verb->name) +
                                         " --help lists them; if it is a file, write ./" + name);
}

[[noreturn]] void refuse_missing(const Option& option) {
  const std::string name = "--" + std::string(option.name);
  throw Error(ErrorCode::bad_option,
              name + " needs a value: " + name + " " + option.value + ", " + option.help);
}

}  // namespace

CommandLine take_apart(int argc, const char* const* argv) {
  const std::vector<const Option*> all = all_options();
  CLI::App app;
  app.set_help_flag("");
  app.allow_extras();
  struct Slot {
    const Option* option;
    std::string value;
    CLI::Option* parsed;
  };
  std::deque<Slot> slots;
  for (const Option* option : all) {
    Slot& slot = slots.emplace_back(Slot{option, "", nullptr});
    std::string name = "--" + std::string(option->name);
    if (name == "--help") name = "-h," + name;
    if (name == "--version") name = "-V," + name;
    if (name == "--null") name = "-0," + name;
    if (option->value == nullptr) {
      slot.parsed = app.add_flag(name);
    } else {
      // CLI11 keeps all values, so that a second value can be refused below.
      slot.parsed =
          app.add_option(name, slot.value)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
  }
  // CLI11 takes the word after `--output=` as its value. With an empty variable in a script, that
  // would be the input file, so this is refused.
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    for (const Option* option : all) {
      if (option->value != nullptr && "--" + std::string(option->name) + "=" == argv[i]) {
        refuse_missing(*option);
      }
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ArgumentMismatch& e) {  // "--axis: 1 required TEXT missing"
    const std::string_view message = e.what();
    for (const Option* option : all) {
      if (message.starts_with("--" + std::string(option->name) + ":")) refuse_missing(*option);
    }
    throw Error(ErrorCode::bad_option, e.what());
  } catch (const CLI::ParseError& e) {
    throw Error(ErrorCode::bad_option, e.what());
  }

  CommandLine line;
  for (const Slot& slot : slots) {
    if (slot.parsed->count() == 0) continue;
    const std::string name = "--" + std::string(slot.option->name);
    if (slot.option->value == nullptr) {
      for (const std::string& value : slot.parsed->results()) {
        if (value != "true") {
          throw Error(ErrorCode::bad_option,
                      name + " takes no value, but \"" + value + "\" was given");
        }
      }
      line.given.push_back({slot.option, ""});
      continue;
    }
    if (slot.parsed->count() > 1) {
      throw Error(ErrorCode::bad_option, name + " was given twice; leave one out");
    }
    if (slot.value.empty()) refuse_missing(*slot.option);
    line.given.push_back({slot.option, slot.value});
  }
  bool only_words = false;
  const std::vector<std::string> rest = app.remaining();
  for (const std::string& token : rest) {
    if (!only_words && token == "--") {
      only_words = true;
    } else if (!only_words && token.size() > 1 && token[0] == '-') {
      refuse_unknown(token, rest);
    } else {
      line.words.push_back(token);
    }
  }
  return line;
}

}  // namespace onefold::cli
