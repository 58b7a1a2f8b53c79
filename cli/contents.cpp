#include "cli/contents.hpp"

#include <algorithm>

#include "cli/json.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "onefold/tables/contents.hpp"
#include "onefold/tables/path_columns.hpp"

namespace onefold::cli {
namespace {

std::string json_of(const std::string& file, const io::Contents& contents) {
  std::string text =
      "{\"file\": " + quote(file) + ", \"format\": " + quote(contents.format) + ", \"contents\": [";
  for (const io::Content& c : contents.list) {
    if (&c != contents.list.data()) text += ", ";
    text += "{\"name\": " + quote(c.name) + ", \"type\": " + quote(c.type) + ", \"shape\": ";
    if (c.shape) {
      text += '[';
      for (int d = 0; d < c.shape->rank(); ++d) {
        text += (d == 0 ? "" : ", ") + std::to_string((*c.shape)[d]);
      }
      text += ']';
    } else {
      text += "null";
    }
    text += ", \"missing\": " + (c.missing ? std::to_string(*c.missing) : "null");
    if (c.numbers) {
      text += ", \"numbers\": " + std::to_string(*c.numbers) +
              ", \"first_other\": {\"line\": " + std::to_string(c.other_line) +
              ", \"text\": " + quote(c.other) + "}";
    }
    text += '}';
  }
  return text + "]}\n";
}

// Returns a column's type; of one that is partly numbers, also how many of its fields are.
std::string type_text(const io::Content& c) {
  if (!c.numbers) return printable(c.type);
  const Size rows = static_cast<Size>((*c.shape)[0]) - *c.missing;
  return printable(c.type) + " (" + std::to_string(*c.numbers) + " of " + std::to_string(rows) +
         " are numbers; line " + std::to_string(c.other_line) + ": " + quote(c.other) + ")";
}

}  // namespace

void print_contents(const Arguments& arguments) {
  const std::vector<std::string> files = io::files_in_folders(arguments.words);
  const bool several = files.size() > 1;
  std::string json;
  std::vector<std::vector<std::string>> lines{{"name", "type", "shape", "missing"}};
  if (several) lines[0].insert(lines[0].begin(), "file");
  for (const std::string& file : files) {
    ProgressLine line(arguments.progress);
    const io::Contents contents = io::contents_of(file, arguments.input, line.callback());
    line.finish();
    json += json_of(file, contents);
    for (const io::Content& c : contents.list) {
      lines.push_back({c.name.empty() ? "-" : printable(c.name), type_text(c),
                       c.shape ? to_string(*c.shape) : "-",
                       c.missing ? std::to_string(*c.missing) : "-"});
      if (several) lines.back().insert(lines.back().begin(), printable(file));
    }
  }
  Writer out;
  if (arguments.json) {
    out.write(json);
  } else {
    print_lines(out, lines, style_of_stdout(false));
  }
  out.flush();
}

}  // namespace onefold::cli
