#include "cli/windows.hpp"

#include <memory>

#include "cli/answer_format.hpp"
#include "cli/groups.hpp"
#include "cli/number.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"
#include "onefold/tables/array_windows.hpp"
#include "onefold/tables/group_order.hpp"
#include "onefold/tables/window_fold.hpp"

namespace onefold::cli {
namespace {

AnswerTable table_of_rows(const io::Grouped& rows, int precision) {
  if (!rows.by.empty()) return table_of(rows, precision);
  AnswerTable table{.lines = rows.keys.size(), .columns = {}, .json = {}};
  const Size width = rows.columns.size();
  for (Size c = 0; c < width; ++c) {
    for (const Answer& a : rows.answers.list) {
      table.columns.push_back({.name = io::answer_name(rows.columns, c, a.op),
                               .answer = &a,
                               .first = c,
                               .step = width});
    }
  }
  table.json = [&rows, precision](Writer& out) { print_rows(out, rows, precision); };
  return table;
}

// .npy has no way to say that a value is missing.
void check_values(const Answers& answers) {
  for (const Answer& a : answers.list) {
    for (const Status s : a.status) {
      if (s == Status::ok) continue;
      throw Error(ErrorCode::empty_input, a.op +
                                              ": a window has too few values, and .npy files have "
                                              "no missing values; write a .csv or .parquet file");
    }
  }
}

// Prints rows or writes them into a file, piece by piece; for a format that needs all rows at once,
// keeps them in memory.
class RowOutput {
 public:
  RowOutput(const Arguments& arguments, Size most_bytes)
      : arguments_(arguments),
        most_bytes_(most_bytes),
        file_(output_of(arguments)),
        in_parts_(file_ == nullptr || writes_in_parts(arguments.output)),
        style_(style_of_stdout(arguments.json || file_ != nullptr, arguments.precision,
                               arguments.mpi)) {
    style_.aligned = style_.aligned && !style_.json;
  }

  void take(const io::Grouped& rows) {
    if (!in_parts_) return keep(rows);
    if (!begun_ && style_.aligned && rows.keys.empty()) {
      all_ = rows;  // the names are printed with the first rows, whose widths they need
      return;
    }
    give(rows);
  }

  void end() {
    if (!begun_ && style_.aligned && !all_.columns.empty()) give(all_);
    if (file_ == nullptr) return out_.flush();
    if (in_parts_) return file_->end();
    if (arguments_.output.ends_with(".npy")) {
      check_values(all_.answers);
      Answer& only = all_.answers.list[0];
      if (all_.by.empty() && all_.answers.list.size() == 1 && all_.columns.size() == 1) {
        only.shape = Dims(only.shape[0]);
        return file_->write(only);
      }
    }
    write_answers(*file_, arguments_.output, table_of_rows(all_, arguments_.precision),
                  arguments_.precision);
  }

 private:
  void give(const io::Grouped& rows) {
    AnswerTable table = table_of_rows(rows, arguments_.precision);
    table.headed = !begun_;
    begun_ = true;
    if (file_) return append_answers(*file_, arguments_.output, table, arguments_.precision);
    if (arguments_.json) return table.json(out_);
    if (!rows.by.empty() || table.columns.size() > 1) {
      return print_lines_of(out_, table, style_, &widths_);
    }
    for (Size line = 0; line < table.lines; ++line) {
      append_text(out_.text(), AnswerTable::value_of(table.columns[0], line), arguments_.precision);
      out_.text() += '\n';
      out_.flush_if_full();
    }
  }

  void keep(const io::Grouped& rows) {
    if (!begun_) {
      all_ = rows;
      begun_ = true;
      return;
    }
    for (std::size_t k = 0; k < rows.answers.list.size(); ++k) {
      Answer& to = all_.answers.list[k];
      const Answer& from = rows.answers.list[k];
      to.data.insert(to.data.end(), from.data.begin(), from.data.end());
      to.status.insert(to.status.end(), from.status.begin(), from.status.end());
      to.shape[0] += from.shape[0];
      bytes_ += from.data.size() + from.status.size();
    }
    for (const std::string& key : rows.keys) bytes_ += sizeof(key) + key.size();
    all_.keys.insert(all_.keys.end(), rows.keys.begin(), rows.keys.end());
    if (bytes_ <= most_bytes_) return;
    throw Error(ErrorCode::out_of_memory,
                "--output " + arguments_.output + ": " + std::to_string(all_.keys.size()) +
                    " rows or more take " + std::to_string(bytes_) +
                    " bytes of memory until the file is written, but only " +
                    std::to_string(most_bytes_) +
                    " are free; write a .csv or .jsonl file, which needs no memory");
  }

  const Arguments& arguments_;
  const Size most_bytes_;
  std::unique_ptr<OutputFile> file_;
  const bool in_parts_;
  bool begun_ = false;
  Writer out_;
  Style style_;  // of lines on stdout
  std::vector<std::size_t> widths_;
  io::Grouped all_;
  Size bytes_ = 0;
};

void fold_array(const Query& query, const std::string& path, const Arguments& arguments) {
  std::unique_ptr<OutputFile> file = output_of(arguments);
  io::Notes notes;
  const Answers answers = io::fold_array_windows(query, path, arguments, notes);
  say(notes);
  check_statuses(answers, arguments.fold);
  if (file == nullptr || !arguments.output.ends_with(".npy") || answers.list.size() != 1) {
    return give_answers(answers, {}, arguments, file);
  }
  check_values(answers);
  file->write(answers.list[0]);
}

}  // namespace

void fold_windows(const Query& query, const std::vector<std::string>& files,
                  const Arguments& arguments) {
  refuse_beside("windows return an answer for each row of a table, in its order",
                arguments.each ? "--each" : nullptr);
  if (io::is_one_array(files, arguments.input)) return fold_array(query, files[0], arguments);
  RowOutput output(arguments, limits_of(arguments, files).answer_bytes);
  io::Notes notes;
  ProgressLine line(arguments.progress);
  io::fold_row_windows(query, files, arguments, line.callback(), notes,
                       [&](const io::Grouped& rows) { output.take(rows); });
  line.finish();
  output.end();
  say(notes);
  say_missing(notes, query, arguments.input.missing_is_nan);
}

}  // namespace onefold::cli
