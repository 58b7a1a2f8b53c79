#include "cli/groups.hpp"

#include <algorithm>

#include "cli/json.hpp"
#include "cli/number.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"
#include "file_fold/group_fold.hpp"
#include "io/table_rows.hpp"

namespace onefold::cli {
namespace {

void check_options(const Arguments& a) {
  const char* const other = !a.fold.axes.all()    ? "--axis"
                            : a.fold.keepdims     ? "--keepdims"
                            : a.each              ? "--each"
                            : !a.output.empty()   ? "--output"
                            : !a.weights.empty()  ? "--weights"
                            : !a.fweights.empty() ? "--fweights"
                            : !a.offsets.empty()  ? "--offsets"
                                                  : nullptr;
  if (other == nullptr) return;
  throw Error(ErrorCode::bad_option, "--by folds the columns of a table by their keys, and " +
                                         std::string(other) +
                                         " has no meaning there; leave one of them out");
}

// What is wrong with all of a group, but not that there is none of it.
void check_groups(const io::Grouped& grouped, const Options& options) {
  Answers bad = grouped.answers;
  for (Answer& a : bad.list) {
    std::replace(a.status.begin(), a.status.end(), Status::empty_input, Status::ok);
  }
  check_statuses(bad, options);
}

std::string header_of(const io::Grouped& grouped) {
  std::string line;
  for (const std::string& name : grouped.by) line += printable(name) + '\t';
  for (const std::string& column : grouped.columns) {
    for (const Answer& a : grouped.answers.list) {
      line += (grouped.columns.size() == 1 ? a.op : printable(column) + "_" + a.op) + '\t';
    }
  }
  line.back() = '\n';
  return line;
}

void append_line(std::string& text, const io::Grouped& grouped, Size g, int precision) {
  for (const auto part : io::parts_of_key(grouped.keys[g], grouped.by.size())) {
    text += printable(part) + '\t';
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
    text += (k == 0 ? "" : ", ") + quote(grouped.by[k]) + ": " + quote(parts[k]);
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

void fold_groups(const Request& request, const std::vector<std::string>& files,
                 const Arguments& arguments) {
  check_options(arguments);
  io::Notes notes;
  ProgressLine line(arguments.progress);
  const io::Grouped grouped = io::group_files(request, files, arguments.input, line.callback(),
                                              limits_of(arguments, files), &notes);
  line.finish();
  check_groups(grouped, arguments.fold);
  say(notes);
  Writer out;
  if (!arguments.json) out.write(header_of(grouped));
  for (Size g = 0; g < grouped.keys.size(); ++g) {
    if (arguments.json) {
      append_object(out.text(), grouped, g, arguments.precision);
    } else {
      append_line(out.text(), grouped, g, arguments.precision);
    }
    out.flush_if_full();
  }
  out.flush();
}

}  // namespace onefold::cli
