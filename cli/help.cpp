#include "cli/help.hpp"

#include <fmt/format.h>

#include "cli/alias.hpp"
#include "onefold/engine/plan/nearest.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/system/file.hpp"

namespace onefold::cli {
namespace {

void print_option(Writer& out, const Option& option) {
  const std::string name = fmt::format("--{}{}{}", option.name, option.value == nullptr ? "" : " ",
                                       option.value == nullptr ? "" : option.value);
  out.write(fmt::format("  {:<20} {}\n", name, option.help));
}

void print_options(Writer& out, std::span<const Option* const> options) {
  out.write("\nOptions\n");
  for (const Option* option : options) print_option(out, *option);
}

void print_examples(Writer& out, std::string_view examples) {
  out.write("\nExamples\n");
  while (!examples.empty()) {
    const std::size_t end = examples.find('\n');
    out.write(fmt::format("  {}\n", examples.substr(0, end)));
    examples.remove_prefix(end == examples.npos ? examples.size() : end + 1);
  }
}

void print_ops(Writer& out) {
  out.write("\nOps\n");
  for (const OpRow& op : op_rows())
    out.write(fmt::format("  {:<14} {}\n", op.name, op.about->idea));
}

void print_aliases(Writer& out) {
  out.write("\nOther names\n");
  std::string op, names;
  const auto line = [&] {
    if (!op.empty()) out.write(fmt::format("  {:<14} {}\n", op, names));
  };
  for (const Alias& alias : aliases()) {
    if (is_op(alias.name) || !is_op(alias.op)) continue;
    if (op != alias.op) {
      line();
      op = alias.op;
      names.clear();
    }
    names += (names.empty() ? "" : ", ") + std::string(alias.name);
  }
  line();
}

void print_statuses(Writer& out) {
  out.write("\nExit status\n  0   success\n");
#define ONEFOLD_ERROR(code, exit_status, meaning) \
  out.write(fmt::format("  {:<3} {:<14} {}\n", exit_status, #code, meaning));
  ONEFOLD_ERRORS(ONEFOLD_ERROR)
#undef ONEFOLD_ERROR
}

}  // namespace

void print_help(Writer& out) {
  out.write("onefold " ONEFOLD_VERSION
            ": folds arrays into answers, right to the last bit, in one pass.\n\nUsage\n");
  const auto line = [&](const Verb& verb) {
    out.write(fmt::format("  onefold {:<20} {}\n", verb.usage, verb.idea));
  };
  line(*find_verb("fold"));
  for (const Verb* verb : verbs()) {
    if (verb != find_verb("fold")) line(*verb);
  }
  print_ops(out);
  print_aliases(out);
  out.write(
      "\nonefold VERB --help and onefold OP --help say more. Results go to stdout, everything\n"
      "else to stderr; on an error stdout stays empty.\n");
  print_statuses(out);
}

void print_help(Writer& out, const Verb& verb) {
  out.write(fmt::format("onefold {}\n\n{}\n", verb.usage, verb.idea));
  print_options(out, verb.options);
  print_examples(out, verb.examples);
}

void print_help_of_op(Writer& out, std::string_view name) {
  const OpRow& op = find_op(name);
  // An op of two files cannot be in a list of ops, so its usage is different.
  out.write(op.about->inputs == 2
                ? fmt::format("onefold {} FILE FILE\n", op.name)
                : fmt::format("onefold {0} FILE...\nonefold {0},OP... FILE...\n", op.name));
  out.write(fmt::format("\n{}: {}\n", op.name, op.about->idea));
  const auto type = [&](DType input) { return name_of(op.about->result.of(input)); };
  out.write(fmt::format(
      "\nType of the answer: bool {}, i32 {}, u32 {}, f32 {}, f64 {}; --result changes it.\n",
      type(DType::boolean), type(DType::i32), type(DType::u32), type(DType::f32),
      type(DType::f64)));
  print_options(out, find_verb("fold")->options);
  if (op.about->inputs == 2) {
    print_examples(out, fmt::format("onefold {0} x.npy y.npy\n"
                                    "onefold {0} --axis 0 x.npy y.npy   # of each column\n"
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
  print_option(out, *found);
  out.write(fmt::format("\nTaken by: {}\n", takers));
  if (!examples.empty()) print_examples(out, examples);
  return true;
}

void refuse_word(const std::string& word) {
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
                                           "\" is a file; say first what to do with it: onefold "
                                           "describe " +
                                           word);
  }
  if (word.starts_with("nan") &&
      std::find(names.begin(), names.end(), word.substr(3)) != names.end()) {
    throw Error(ErrorCode::unknown_op, "no op or verb is called \"" + word + "\"; onefold " +
                                           word.substr(3) + " --nan omit leaves NaN out");
  }
  throw Error(ErrorCode::unknown_op, "no op or verb is called \"" + word + "\"" +
                                         did_you_mean(word, names) + "; the verbs are " +
                                         all_verbs + "; the ops are " + all_ops);
}

}  // namespace onefold::cli
