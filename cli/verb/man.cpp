#include "cli/help_options.hpp"
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

//   headings  the groups of the options have headings, too
void write_options(Writer& out, const Verb& verb, bool headings) {
  for (const OptionGroup& group : groups_of(verb)) {
    if (headings) out.write(".SS " + roff(group.title) + "\n");
    for (const Option* option : group.options) {
      out.write(".TP\n.B \\-\\-" + roff(option->name) +
                (option->value == nullptr ? "" : " " + roff(option->value)) + "\n" +
                roff(option->help) + "\n");
    }
  }
}

void write_examples(Writer& out, std::string_view examples) {
  out.write(".nf\n");
  while (!examples.empty()) {
    const std::size_t end = std::min(examples.find('\n'), examples.size());
    out.write(roff(examples.substr(0, end)) + "\n");
    examples.remove_prefix(std::min(end + 1, examples.size()));
  }
  out.write(".fi\n");
}

// Writes the page onefold-VERB(1).
void write_page_of(Writer& out, const Verb& verb) {
  std::string title = verb.name;
  for (char& c : title) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  std::string idea = verb.idea;
  if (idea.ends_with('.')) idea.pop_back();
  out.write(".TH ONEFOLD\\-" + title +
            " 1 \"\" \"onefold " ONEFOLD_VERSION "\"\n.SH NAME\nonefold\\-" + roff(verb.name) +
            " \\- " + roff(idea) + "\n.SH SYNOPSIS\n.B onefold\n" + roff(verb.usage) +
            "\n.SH OPTIONS\n");
  write_options(out, verb, true);
  out.write(".SH EXAMPLES\n");
  write_examples(out, verb.examples);
  out.write(".SH SEE ALSO\n.BR onefold (1),\nwhich has the ops and what each exit status means\n");
}

// Writes the page onefold(1): all verbs, ops and exit statuses.
void write_page(Writer& out) {
  out.write(".TH ONEFOLD 1 \"\" \"onefold " ONEFOLD_VERSION
            "\"\n.SH NAME\nonefold \\- exact sums, "
            "means and statistics of files\n.SH SYNOPSIS\n");
  for (const Verb* verb : verbs()) out.write(".B onefold\n" + roff(verb->usage) + "\n.br\n");
  out.write(".SH VERBS\n");
  for (const Verb* verb : verbs()) {
    out.write(".SS " + roff(verb->usage) + "\n" + roff(verb->idea) + "\n");
    write_options(out, *verb, false);
    out.write(".PP\n");
    write_examples(out, verb->examples);
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
  out.write(".SH SEE ALSO\n.BR onefold\\-VERB (1),\na page for each verb\n");
}

void run_man(Arguments& arguments) {
  Writer out;
  if (arguments.words.size() > 1) {
    throw Error(ErrorCode::bad_option, "man takes one verb; write onefold man describe | man -l -");
  }
  if (arguments.words.empty()) {
    write_page(out);
  } else if (const Verb* verb = find_verb(arguments.words[0])) {
    write_page_of(out, *verb);
  } else {
    throw Error(ErrorCode::bad_option,
                "no verb is called \"" + arguments.words[0] + "\"; onefold help lists them");
  }
  out.flush();
}

constexpr const Option* man_options[] = {&option::help, &option::version};

}  // namespace

const Verb man_verb{.name = "man",
                    .usage = "man [VERB]",
                    .idea = "Print the manual page of onefold or of a verb.",
                    .options = man_options,
                    .examples = "onefold man | man -l -\nonefold man describe > onefold-describe.1",
                    .run = run_man};

}  // namespace onefold::cli
