#include "cli/complete.hpp"

#include <algorithm>

#include "cli/option.hpp"
#include "onefold/engine/comma_list.hpp"
#include "onefold/io/readable.hpp"
#include "onefold/system/file.hpp"
#include "onefold/tables/contents.hpp"

namespace onefold::cli {
namespace {

using Words = std::vector<std::string>;

void append(Words& to, std::span<const std::string_view> more) {
  to.insert(to.end(), more.begin(), more.end());
}

Words names_of_verbs() {
  Words words;
  for (const Verb* verb : verbs()) words.emplace_back(verb->name);
  return words;
}

Words names_of_ops() {
  Words words;
  append(words, op_names());
  return words;
}

Words names_of_types() {
  Words words;
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) words.emplace_back(spelling);
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  return words;
}

const Option* option_called(const Verb& verb, std::string_view word) {
  const auto same = [&](const Option* o) { return "--" + std::string(o->name) == word; };
  const auto found = std::ranges::find_if(verb.options, same);
  return found == verb.options.end() ? nullptr : *found;
}

// The command line without the word at the cursor: its options are set, the other words are kept.
struct Rest {
  Arguments arguments;
  Words words;

  Rest(const Verb& verb, std::span<const std::string> all, std::size_t at) {
    arguments.input.guess = true;
    for (std::size_t i = 1; i < all.size(); ++i) {
      const Option* const option = option_called(verb, all[i]);
      const bool valued = option != nullptr && option->value != nullptr;
      if (i == at || (option == nullptr && all[i].starts_with("--"))) continue;
      if (option == nullptr) {
        words.push_back(all[i]);
      } else if (valued && ++i != at && i < all.size() && option->set != nullptr) {
        set(*option, all[i]);
      }
    }
  }

 private:
  void set(const Option& option, const std::string& value) {
    try {
      option.set(arguments, value);
    } catch (const Error&) {  // a word that is not finished
    }
  }
};

// The columns of the first file that is named; none if it cannot be read.
Words columns_of(const Rest& rest) {
  using Kind = system::FileFacts::Kind;
  for (std::size_t i = 1; i < rest.words.size(); ++i) {
    if (system::facts_of(rest.words[i]).kind != Kind::regular) continue;
    try {
      return io::names_of_columns(rest.words[i], rest.arguments.input);
    } catch (const Error&) {
      return {};
    }
  }
  return {};
}

// "error|skip" is a list of values; "W.npy|COLUMN" and "FILE" name what a value is.
Words values_in(std::string_view text) {
  Words words;
  if (text.find('|') == text.npos) return words;
  if (std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; })) return words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('|'), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return words;
}

Words values_for(const Option& option, const Rest& rest) {
  const auto is = [&](std::initializer_list<const Option*> list) {
    return std::ranges::find(list, &option) != list.end();
  };
  using namespace option;
  if (is({&columns, &by, &sort, &weights, &fweights, &over})) return columns_of(rest);
  if (is({&dtype, &result})) return names_of_types();
  if (is({&format})) return io::readable_here().formats;
  if (is({&device})) return {"cpu", "cuda", "cuda:all"};
  if (is({&delimiter})) return {"tab", "space", "pipe"};
  if (is({&target})) {
    Words words;
    append(words, cpu_targets());
    return words;
  }
  return values_in(option.value);
}

// The words that may be first after a verb.
Words words_after(const Verb& verb) {
  const std::string_view name = verb.name;
  if (name == "completion") return {"bash", "zsh", "fish"};
  if (name == "man") return names_of_verbs();
  if (name == "lab") return {"run", "puzzle", "serve", "all"};
  if (name == "text") return {"count", "max", "min", "mode", "nunique"};
  if (name != "help") {
    const bool of_op = std::string_view(verb.usage).find("OP") != std::string_view::npos;
    return of_op && name != "agg" ? names_of_ops() : Words();
  }
  Words words = names_of_verbs();
  append(words, op_names());
  for (const Verb* one : verbs()) {
    for (const Option* option : one->options) words.emplace_back(option->name);
  }
  words.emplace_back("errors");
  return words;
}

// Keeps the words that begin as the word at the cursor does. In a list, only its last name counts.
Words beginning_with(const Words& words, const std::string& word, bool list) {
  const std::size_t comma = list ? word.rfind(',') : word.npos;
  const std::string before = comma == word.npos ? "" : word.substr(0, comma + 1);
  const std::string last = word.substr(before.size());
  Words found;
  for (const std::string& one : words) {
    if (one.starts_with(last)) found.push_back(before + one);
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// A shell's backslashes hide blanks; bash makes "=" a word of its own.
std::string bare(const std::string& word) {
  if (word == "=") return "";
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '\\' || i + 1 == word.size()) text += word[i];
  }
  return text;
}

}  // namespace

std::vector<std::string> completions(std::span<const std::string> words, std::size_t at) {
  if (at == 0 || at > words.size()) return {};
  const std::string word = at < words.size() ? bare(words[at]) : "";
  if (at == 1 && !word.starts_with('-')) {
    Words first = names_of_verbs();
    append(first, op_names());
    return beginning_with(word.find(',') == word.npos ? first : names_of_ops(), word, true);
  }
  const Verb* verb = words.size() > 1 ? find_verb(words[1]) : nullptr;
  const bool ops = verb == nullptr;
  if (ops) verb = find_verb("fold");
  if (const std::size_t sign = word.find('='); word.starts_with("--") && sign != word.npos) {
    const Option* const named = option_called(*verb, word.substr(0, sign));
    if (named == nullptr || named->value == nullptr) return {};
    return beginning_with(values_for(*named, Rest(*verb, words, at)), word.substr(sign + 1), true);
  }
  if (word.starts_with('-') && words[at] != "=") {
    Words options;
    for (const Option* option : verb->options) options.push_back("--" + std::string(option->name));
    return beginning_with(options, word, false);
  }
  std::size_t before = at - 1;
  if (words[before] == "=" && before > 1) --before;
  const Option* const option = option_called(*verb, words[before]);
  if (option != nullptr && option->value != nullptr) {
    return beginning_with(values_for(*option, Rest(*verb, words, at)), word, true);
  }
  if (at == 2 && !ops) return beginning_with(words_after(*verb), word, true);
  return {};
}

}  // namespace onefold::cli
