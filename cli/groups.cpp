#include "cli/groups.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/answer_format.hpp"
#include "cli/json.hpp"
#include "cli/number.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"
#include "file_fold/group_order.hpp"
#include "file_fold/met_ranks.hpp"
#include "io/row_reader.hpp"
#include "io/table_rows.hpp"

namespace onefold::cli {
namespace {

// A column of keys in JSON or .npy: integers and bools as themselves.
bool is_plain(const io::Grouped& grouped, std::size_t k) {
  return k < grouped.types.size() && grouped.types[k].has_value();
}

using io::is_null;
std::string_view text_of(const io::Grouped& grouped, std::string_view part) {
  return is_null(grouped, part) ? "null" : part;
}

// A key in a line between tabs: in quotes where a tab, a line end or another control character, a
// quote in front or a blank at an end stands in it, or where a null prints so; \t, \n, \xHH, \" and
// \\ within them. So no two keys look alike.
std::string key_text(const io::Grouped& grouped, std::string_view part) {
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f;
  };
  if (is_null(grouped, part)) return "null";
  const bool bare = part.empty() || (part.front() != '"' && part.front() != ' ' &&
                                     part.back() != ' ' && !(grouped.nulls && part == "null") &&
                                     std::none_of(part.begin(), part.end(), is_control));
  if (bare) return std::string(part);
  std::string text = "\"";
  for (const char c : part) {
    if (c == '"' || c == '\\') {
      text += {'\\', c};
    } else if (c == '\t' || c == '\n') {
      text += c == '\t' ? "\\t" : "\\n";
    } else if (is_control(c)) {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      text += c;
    }
  }
  return text + '"';
}

std::string header_of(const io::Grouped& grouped) {
  std::string line;
  for (const std::string& name : grouped.by) line += printable(name) + '\t';
  for (Size c = 0; c < grouped.columns.size(); ++c) {
    for (const Answer& a : grouped.answers.list)
      line += io::answer_name(grouped.columns, c, a.op) + '\t';
  }
  line.back() = '\n';
  return line;
}

void append_line(std::string& text, const io::Grouped& grouped, Size g, int precision) {
  for (const auto part : io::parts_of_key(grouped.keys[g], grouped.by.size())) {
    text += key_text(grouped, part) + '\t';
  }
  const Size width = grouped.columns.size();
  for (Size c = 0; c < width; ++c) {
    for (const Answer& a : grouped.answers.list) {
      append_text(text, a[g * width + c], precision);
      text += '\t';
    }
  }
  text.back() = '\n';
}

void append_object(std::string& text, const io::Grouped& grouped, Size g, int precision) {
  const auto parts = io::parts_of_key(grouped.keys[g], grouped.by.size());
  text += "{\"by\": {";
  for (std::size_t k = 0; k < parts.size(); ++k) {
    text += (k == 0 ? "" : ", ") + quote(grouped.by[k]) + ": ";
    const bool bare = is_plain(grouped, k) || is_null(grouped, parts[k]);
    const std::string_view part = text_of(grouped, parts[k]);
    text += bare ? std::string(part) : quote(part);
  }
  const Size width = grouped.columns.size();
  for (Size c = 0; c < width; ++c) {
    text += "}, " + quote(grouped.columns[c]) + ": {";
    for (const Answer& a : grouped.answers.list) {
      if (&a != grouped.answers.list.data()) text += ", ";
      text += quote(a.op) + ": ";
      append_json(text, a[g * width + c], precision);
    }
  }
  text += "}}\n";
}

}  // namespace

void print_objects(Writer& out, const io::Grouped& grouped, int precision) {
  for (Size g = 0; g < grouped.keys.size(); ++g) {
    append_object(out.text(), grouped, g, precision);
    out.flush_if_full();
  }
}

void fold_groups(const Request& request, const std::vector<std::string>& files,
                 const Arguments& arguments) {
  if (arguments.each) refuse_beside("--by folds the columns of a table by their keys", "--each");
  io::check_groups(arguments);
  const bool here = io::answers_here(arguments.input.peers);
  std::unique_ptr<OutputFile> file = output_of(arguments);
  io::Notes notes;
  ProgressLine line(arguments.progress);
  const io::Grouped grouped = io::group_asked(request, files, arguments, line.callback(), notes);
  line.finish();
  if (!here) return;
  say(notes);
  say_missing(notes, request, arguments.input.missing_is_nan);
  if (file) {
    const AnswerTable table = table_of(grouped, arguments.precision);
    return write_answers(*file, arguments.output, table, arguments.precision);
  }
  Writer out;
  if (arguments.json) {
    print_objects(out, grouped, arguments.precision);
  } else {
    out.write(header_of(grouped));
    for (Size g = 0; g < grouped.keys.size(); ++g) {
      append_line(out.text(), grouped, g, arguments.precision);
      out.flush_if_full();
    }
  }
  out.flush();
}

}  // namespace onefold::cli
