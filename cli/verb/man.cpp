#include "cli/option.hpp"
#include "cli/writer.hpp"
#include "onefold/engine/plan/table.hpp"

namespace onefold::cli {
namespace {

// Escapes a text for roff: backslashes, dashes, and dots at the beginning of a line.
std::string roff(std::string_view s) {
  std::string text;
  for (const char c : s) {
    if (c == '\\') {
      text += "\\e";
    } else if (c == '-') {
      text += "\\-";
    } else if ((c == '.' || c == '\'') && text.empty()) {
      text += std::string("\\&") + c;
    } else {
      text += c;
    }
  }
  return text;
}

void run_man(Arguments& arguments) {
  if (!arguments.words.empty()) {
    throw Error(ErrorCode::bad_option, "man takes no more words; write onefold man | man -l -");
  }
  Writer out;
  out.write(".TH ONEFOLD 1 \"\" \"onefold " ONEFOLD_VERSION
            "\"\n.SH NAME\nonefold \\- fold arrays "
            "into answers, right to the last bit\n.SH SYNOPSIS\n");
  for (const Verb* verb : verbs()) out.write(".B onefold\n" + roff(verb->usage) + "\n.br\n");
  out.write(".SH VERBS\n");
  for (const Verb* verb : verbs()) {
    out.write(".SS " + roff(verb->usage) + "\n" + roff(verb->idea) + "\n");
    for (const Option* option : verb->options) {
      out.write(".TP\n.B \\-\\-" + roff(option->name) +
                (option->value == nullptr ? "" : " " + roff(option->value)) + "\n" +
                roff(option->help) + "\n");
    }
    out.write(".PP\n.nf\n");
    std::string_view examples = verb->examples;
    while (!examples.empty()) {
      const std::size_t end = std::min(examples.find('\n'), examples.size());
      out.write(roff(examples.substr(0, end)) + "\n");
      examples.remove_prefix(std::min(end + 1, examples.size()));
    }
    out.write(".fi\n");
  }
  out.write(".SH OPS\n");
  for (const OpRow& op : op_rows()) {
    out.write(".TP\n.B " + roff(op.name) + "\n" + roff(op.about->idea) + "\n");
  }
  out.write(".SH EXIT STATUS\n.TP\n.B 0\nsuccess\n");
#define ONEFOLD_ERROR(code, exit_status, meaning) \
  out.write(".TP\n.B " #exit_status " " #code "\n" + roff(meaning) + "\n");
  ONEFOLD_ERRORS(ONEFOLD_ERROR)
#undef ONEFOLD_ERROR
  out.flush();
}

constexpr const Option* man_options[] = {&option::help, &option::version};

}  // namespace

const Verb man_verb{.name = "man",
                    .usage = "man",
                    .idea = "The manual page, made of what the verbs and ops say of themselves.",
                    .options = man_options,
                    .examples = "onefold man | man -l -\nonefold man > onefold.1",
                    .run = run_man};

}  // namespace onefold::cli
