#include "cli/help.hpp"

#include <fmt/format.h>

#include <map>

#include "cli/alias.hpp"
#include "cli/help_options.hpp"
#include "cli/suggest.hpp"
#include "onefold/engine/plan/nearest.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/system/file.hpp"

namespace onefold::cli {
namespace {

void print_options(Writer& out, const Verb& verb) {
  for (const OptionGroup& group : groups_of(verb)) {
    out.write("\n" + group.title + "\n");
    for (const Option* option : group.options) write_option(out, *option);
  }
}

void print_examples(Writer& out, std::string_view examples) {
  out.write("\nExamples\n");
  while (!examples.empty()) {
    const std::size_t end = examples.find('\n');
    out.write(fmt::format("  {}\n", examples.substr(0, end)));
    examples.remove_prefix(end == examples.npos ? examples.size() : end + 1);
  }
}

constexpr std::size_t verb_column = 14, name_column = 20, topic_column = 24;

void print_ops(Writer& out) {
  out.write("\nOperations\n");
  for (const OpRow& op : op_rows()) write_entry(out, op.name, op.about->idea, name_column);
}

void print_aliases(Writer& out) {
  out.write("\nOther names of operations\n");
  std::map<std::string, std::string> names;
  for (const Alias& alias : aliases()) {
    if (is_op(alias.name) || !is_op(alias.op)) continue;
    std::string& list = names[alias.op];
    list += (list.empty() ? "" : ", ") + std::string(alias.name);
  }
  for (const auto& [op, list] : names) write_entry(out, op, list, name_column);
}

constexpr std::string_view first_examples =
    "onefold sum prices.csv                        # one answer\n"
    "onefold mean,std,max --columns price t.csv    # several, of one column\n"
    "onefold mean --by city --columns price t.csv  # for each group\n"
    "onefold agg 'sum(price * qty), p99(delay)' --by city t.csv\n"
    "onefold describe data.parquet                 # of all columns\n"
    "seq 10 | onefold sum                          # numbers from a pipe\n"
    "onefold gather mean a.csv --state a.of        # save a partial result, ...\n"
    "onefold answer mean a.of b.of                 # ... merge it with another\n";

constexpr std::string_view title =
    "onefold " ONEFOLD_VERSION ": exact sums, means and statistics of files\n";

}  // namespace

void print_help(Writer& out) {
  out.write(std::string(title) + "\nUsage\n  onefold OP[,OP...] FILE...\n" +
            "  onefold VERB ...\n");
  print_examples(out, first_examples);
  out.write("\nVerbs\n");
  for (const Verb* verb : verbs()) write_entry(out, verb->name, verb->idea, verb_column);
  print_ops(out);
  print_aliases(out);
  out.write(
      "\nAnswers go to stdout, everything else to stderr. After an error stdout is empty.\n"
      "\nMore help\n");
  write_entry(out, "onefold help VERB", "its options and examples", topic_column);
  write_entry(out, "onefold help OP", "what an operation computes, such as help var", topic_column);
  write_entry(out, "onefold help OPTION", "which verbs take an option, such as help by",
              topic_column);
  write_entry(out, "onefold help errors", "exit statuses and what they mean", topic_column);
}

void print_short_help(Writer& out) {
  out.write(std::string(title));
  print_examples(out, first_examples);
  out.write("\nMore help\n");
  write_entry(out, "onefold --help", "all verbs and operations", topic_column);
  write_entry(out, "onefold help VERB", "options and examples, such as help agg or help mean",
              topic_column);
  write_entry(out, "onefold help errors", "exit statuses and what they mean", topic_column);
  write_entry(out, "onefold info FILE", "what a file contains", topic_column);
}

void print_errors(Writer& out) {
  out.write("Exit statuses\n");
  write_entry(out, "0   success", "an answer was printed", topic_column - 2);
#define ONEFOLD_ERROR(code, exit_status, meaning) \
  write_entry(out, fmt::format("{:<3} {}", exit_status, #code), meaning, topic_column - 2);
  ONEFOLD_ERRORS(ONEFOLD_ERROR)
#undef ONEFOLD_ERROR
  out.write("\nA message on stderr names the cause. After an error stdout is empty.\n");
}

void print_help(Writer& out, const Verb& verb) {
  out.write(fmt::format("onefold {}\n\n{}\n", verb.usage, verb.idea));
  print_examples(out, verb.examples);
  print_options(out, verb);
}

void print_help_of_op(Writer& out, std::string_view name) {
  const OpRow& op = find_op(name);
  // An op of two files cannot be in a list of ops, so its usage is different.
  out.write(op.about->inputs == 2
                ? fmt::format("onefold {} FILE FILE\n", op.name)
                : fmt::format("onefold {0} FILE...\nonefold {0},OP... FILE...\n", op.name));
  out.write(fmt::format("\n{}: {}\n", op.name, op.about->idea));
  const auto type = [&](DType input) { return name_of(op.about->result.of(input)); };
  out.write(
      fmt::format("\nType of the answer for each type of the input (--result changes it)\n"
                  "  bool: {}, i32: {}, u32: {}, f32: {}, f64: {}\n",
                  type(DType::boolean), type(DType::i32), type(DType::u32), type(DType::f32),
                  type(DType::f64)));
  if (op.about->inputs == 2) {
    print_examples(out, fmt::format("onefold {0} x.npy y.npy\n"
                                    "onefold {0} --axis 0 x.npy y.npy   # of each column\n"
                                    "onefold {0} --columns x,y t.csv    # of two columns\n"
                                    "onefold {0} --json x.npy y.npy",
                                    op.name));
  } else {
    print_examples(out, fmt::format("onefold {0} data.npy\n"
                                    "onefold {0} --axis 0 data.csv        # of each column\n"
                                    "seq 10 | onefold {0}                 # numbers from a pipe\n"
                                    "onefold {0} --dtype f32 --shape 1000x4 data.bin\n"
                                    "onefold {0},count --json data.npy    # several at once",
                                    op.name == std::string_view("count") ? "count_nan" : op.name));
  }
  print_options(out, *find_verb("fold"));
}

bool print_help_of_option(Writer& out, std::string_view name) {
  const Option* found = nullptr;
  std::string takers, examples;
  for (const Verb* verb : verbs()) {
    for (const Option* option : verb->options) {
      if (option->name != name) continue;
      found = option;
      takers += (takers.empty() ? "" : ", ") + std::string(verb->name);
      std::string_view left = verb->examples;
      while (!left.empty()) {
        const std::string_view line = left.substr(0, left.find('\n'));
        if (fmt::format("{} ", line).find(fmt::format("--{} ", name)) != std::string::npos) {
          examples += (examples.empty() ? "" : "\n") + std::string(line);
        }
        left.remove_prefix(std::min(left.size(), line.size() + 1));
      }
    }
  }
  if (found == nullptr) return false;
  write_option(out, *found);
  out.write("\nTaken by\n");
  write_entry(out, "", takers, 2);
  if (!examples.empty()) print_examples(out, examples);
  return true;
}

void refuse_word(const std::string& word, const std::string& file) {
  if (const std::string instead = command_instead(word, file); !instead.empty()) {
    throw Error(ErrorCode::unknown_op,
                "no op or verb is called \"" + word + "\"; write " + instead);
  }
  std::vector<std::string_view> names;
  std::string all_verbs, all_ops;
  for (const Verb* verb : verbs()) {
    names.push_back(verb->name);
    all_verbs += (all_verbs.empty() ? "" : ", ") + std::string(verb->name);
  }
  for (const std::string_view op : op_names()) {
    names.push_back(op);
    all_ops += (all_ops.empty() ? "" : ", ") + std::string(op);
  }
  if (system::exists(word)) {
    throw Error(ErrorCode::unknown_op, "\"" + word +
                                           "\" is a file; write what to do with it first: onefold "
                                           "describe " +
                                           word);
  }
  if (word.starts_with("nan") &&
      std::find(names.begin(), names.end(), word.substr(3)) != names.end()) {
    throw Error(ErrorCode::unknown_op, "no op or verb is called \"" + word + "\"; write onefold " +
                                           word.substr(3) +
                                           " --nan omit FILE, which leaves NaN out");
  }
  throw Error(ErrorCode::unknown_op, "no op or verb is called \"" + word + "\"" +
                                         did_you_mean(word, names) + "; the verbs are " +
                                         all_verbs + "; the ops are " + all_ops);
}

}  // namespace onefold::cli
