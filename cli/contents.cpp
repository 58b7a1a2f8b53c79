#include "cli/contents.hpp"

#include <algorithm>

#include "cli/json.hpp"
#include "cli/part_numbers.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/state_file.hpp"
#include "onefold/io/file.hpp"
#include "onefold/system/file.hpp"
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

// Returns what a state answers: "f64 state: count, mean, sum". Each op is tried, for which of them
// can be answered follows from what the state holds.
std::string type_of_state(const State& state) {
  std::string text;
  for (const OpRow& op : op_rows()) {
    try {
      state.answer(op.name, {.empty_nan = true});
    } catch (const Error& e) {
      if (e.code() == ErrorCode::bad_option) continue;
    }
    text += (text.empty() ? "" : ", ") + std::string(op.name);
  }
  return std::string(name_of(state.dtype())) + " state: " + text;
}

// Returns whether a file has states, as `gather` writes them. Nothing is read of a pipe.
bool is_state(const std::string& path) {
  if (system::facts_of(path).kind != system::FileFacts::Kind::regular) return false;
  io::File file(path);
  const std::vector<std::byte> head = file.peek(14);
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return text.starts_with("onefold-parts ") || text.starts_with("1fold\r\n") ||
         io::GroupStates::begins(text);
}

// The contents of a file of states: one state, or the columns of keys and a state for each group.
io::Contents contents_of_state(const std::string& path) {
  const StateFile file = load_state(path);
  std::string parts;
  if (!file.parts.empty()) parts = "; part " + parts_text(file.parts);
  if (file.shares != 0) parts += " of " + std::to_string(file.shares);
  io::Contents all{.format = "state", .list = {}};
  if (!file.groups) {
    all.list.push_back({.name = "",
                        .type = type_of_state(file.state) + parts,
                        .shape = Dims(static_cast<int64_t>(file.state.count()))});
    return all;
  }
  const io::GroupStates& groups = *file.groups;
  const Dims shape(static_cast<int64_t>(groups.keys.size()));
  const std::string type = groups.states.size() == 0 ? "state" : type_of_state(groups.states[0]);
  for (const std::string& name : groups.by) {
    all.list.push_back({.name = name, .type = "key", .shape = shape});
  }
  for (const std::string& name : groups.columns) {
    all.list.push_back({.name = name, .type = type + parts, .shape = shape});
  }
  return all;
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
    const io::Contents contents = is_state(file)
                                      ? contents_of_state(file)
                                      : io::contents_of(file, arguments.input, line.callback());
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
