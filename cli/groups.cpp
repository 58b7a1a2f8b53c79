#include "cli/groups.hpp"

#include "cli/answer_format.hpp"
#include "cli/each.hpp"
#include "cli/json.hpp"
#include "cli/number.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/tables/group_order.hpp"
#include "onefold/tables/met_ranks.hpp"
#include "onefold/tables/time_fold.hpp"

namespace onefold::cli {
namespace {

// Returns whether a column of keys is printed as integers or bools in JSON or .npy.
bool is_plain(const io::Grouped& grouped, std::size_t k) {
  return k < grouped.types.size() && grouped.types[k].has_value();
}

using io::is_null;
std::string_view text_of(const io::Grouped& grouped, std::string_view part) {
  return is_null(grouped, part) ? "null" : part;
}

void append_answer(std::string& text, const io::Grouped& grouped, std::size_t k, Size g, Size c,
                   int precision) {
  if (k >= grouped.of_text.size() || !grouped.of_text[k]) {
    append_json(text, grouped.answers.list[k][g * grouped.columns.size() + c], precision);
  } else {
    const auto found = grouped.text(k, g, c);
    text += found ? quote(*found) : "null";
  }
}

void append_answers(std::string& text, const io::Grouped& grouped, Size g, Size c, int precision) {
  text += "}, " + quote(grouped.columns[c]) + ": {";
  for (std::size_t k = 0; k < grouped.answers.list.size(); ++k) {
    text += (k == 0 ? "" : ", ") + quote(grouped.answers.list[k].op) + ": ";
    append_answer(text, grouped, k, g, c, precision);
  }
}

void append_keys(std::string& text, const io::Grouped& grouped, Size g) {
  const auto parts = io::parts_of_key(grouped.keys[g], grouped.by.size());
  text += "{\"by\": {";
  for (std::size_t k = 0; k < parts.size(); ++k) {
    text += (k == 0 ? "" : ", ") + quote(grouped.by[k]) + ": ";
    const bool bare = is_plain(grouped, k) || is_null(grouped, parts[k]);
    const std::string_view part = text_of(grouped, parts[k]);
    text += bare ? std::string(part) : quote(part);
  }
}

void append_object(std::string& text, const io::Grouped& grouped, Size g, int precision) {
  append_keys(text, grouped, g);
  for (Size c = 0; c < grouped.columns.size(); ++c) append_answers(text, grouped, g, c, precision);
  text += "}}\n";
}

// Appends the answers of columns without keys, in the form of print_columns.
void append_columns(std::string& text, const io::Grouped& grouped, int precision) {
  text += '{';
  for (std::size_t k = 0; k < grouped.answers.list.size(); ++k) {
    text += (k == 0 ? "" : ", ") + quote(grouped.answers.list[k].op) + ": {";
    for (Size c = 0; c < grouped.columns.size(); ++c) {
      text += (c == 0 ? "" : ", ") + quote(grouped.columns[c]) + ": ";
      append_answer(text, grouped, k, 0, c, precision);
    }
    text += '}';
  }
  text += "}\n";
}

}  // namespace

void print_objects(Writer& out, const io::Grouped& grouped, int precision) {
  if (grouped.by.empty()) return append_columns(out.text(), grouped, precision);
  for (Size g = 0; g < grouped.keys.size(); ++g) {
    append_object(out.text(), grouped, g, precision);
    out.flush_if_full();
  }
}

void print_rows(Writer& out, const io::Grouped& rows, int precision) {
  const Size n = rows.keys.size();
  for (Size row = 0; row < n; ++row) {
    std::string& text = out.text();
    for (Size c = 0; c < rows.columns.size(); ++c) {
      text += (c == 0 ? "{" : ", ") + quote(rows.columns[c]) + ": {";
      for (std::size_t k = 0; k < rows.answers.list.size(); ++k) {
        text += (k == 0 ? "" : ", ") + quote(rows.answers.list[k].op) + ": ";
        append_answer(text, rows, k, row, c, precision);
      }
      text += '}';
    }
    text += "}\n";
    out.flush_if_full();
  }
}

namespace {

using Fold = io::Grouped(const Query&, const std::vector<std::string>&, const io::FileRequest&,
                         const io::Progress&, io::Notes&);

io::Grouped fold_some(Fold fold, const Query& query, const std::vector<std::string>& files,
                      const Arguments& arguments) {
  io::Notes notes;
  ProgressLine line(arguments.progress);
  io::Grouped grouped = fold(query, files, arguments, line.callback(), notes);
  line.finish();
  io::refuse_repeated_keys(grouped);
  if (!io::answers_here(arguments.input.peers)) return grouped;
  say(notes);
  say_missing(notes, query, fold == &io::group_asked && arguments.input.missing_is_nan);
  return grouped;
}

// Appends the groups of another file, which have the file's name as their first key.
void append_file(io::Grouped& all, const std::string& file, io::Grouped next, bool first) {
  const std::size_t parts = next.by.size();
  for (std::string& key : next.keys) {
    std::vector<std::string> joined{file};
    if (parts > 0) {
      for (const std::string_view part : io::parts_of_key(key, parts)) joined.emplace_back(part);
    }
    key = io::join_key(joined);
  }
  next.by.insert(next.by.begin(), "file");
  next.stored.insert(next.stored.begin(), std::optional<DType>());
  if (!next.types.empty()) next.types.insert(next.types.begin(), std::optional<DType>());
  if (first) {
    all = std::move(next);
    return;
  }
  const auto differ = [&](const char* what) {
    throw Error(ErrorCode::shape_mismatch,
                "read " + file + ": its " + what +
                    " differ from those of the first file; choose common columns with --columns");
  };
  if (next.by != all.by || next.nulls != all.nulls) differ("keys");
  if (next.columns != all.columns) differ("columns");
  if (next.types != all.types) all.types.clear();
  for (std::size_t k = 0; k < all.answers.list.size(); ++k) {
    Answer &a = all.answers.list[k], &b = next.answers.list[k];
    if (a.dtype != b.dtype) differ("types");
    if (k < all.of_text.size() && all.of_text[k]) {
      auto* const places = reinterpret_cast<int64_t*>(b.data.data());
      for (Size i = 0; i < b.size(); ++i) {
        places[i] += static_cast<int64_t>(all.texts[i % all.columns.size()].size());
      }
    }
    a.data.insert(a.data.end(), b.data.begin(), b.data.end());
    a.status.insert(a.status.end(), b.status.begin(), b.status.end());
    a.shape[0] += b.shape[0];
  }
  for (Size c = 0; c < next.texts.size(); ++c) {
    all.texts[c].insert(all.texts[c].end(), next.texts[c].begin(), next.texts[c].end());
  }
  all.keys.insert(all.keys.end(), next.keys.begin(), next.keys.end());
}

// With --keep-going, `failed` gets the error that is thrown after the answers have been printed.
io::Grouped fold_each_of(Fold fold, const Query& query, const std::vector<std::string>& files,
                         const Arguments& arguments, std::optional<Error>& failed) {
  refuse_beside("--each folds file by file", arguments.input.peers != nullptr ? "--mpi" : nullptr);
  io::Grouped all;
  failed = try_each(files, arguments, [&](const std::string& file) {
    append_file(all, file, fold_some(fold, query, {file}, arguments), all.by.empty());
  });
  return all;
}

void fold_by(Fold fold, const Query& query, const std::vector<std::string>& files,
             const Arguments& arguments) {
  std::unique_ptr<OutputFile> file = output_of(arguments);
  std::optional<Error> failed;
  const io::Grouped grouped = arguments.each ? fold_each_of(fold, query, files, arguments, failed)
                                             : fold_some(fold, query, files, arguments);
  const bool any = !arguments.each || !grouped.by.empty();
  if (any && io::answers_here(arguments.input.peers)) give_groups(grouped, arguments, file);
  if (failed) throw *failed;
}

}  // namespace

void fold_groups(const Query& query, const std::vector<std::string>& files,
                 const Arguments& arguments) {
  fold_by(io::group_asked, query, files, arguments);
}

void fold_times(const Query& query, const std::vector<std::string>& files,
                const Arguments& arguments) {
  refuse_beside("times are always printed in full",
                arguments.precision != 0 ? "--precision" : nullptr);
  fold_by(io::fold_times, query, files, arguments);
}

namespace {

// Prints a table, or writes the file of --output.
//   alone  the table has one answer, which needs no names
void give(const AnswerTable& table, const Arguments& arguments, std::unique_ptr<OutputFile>& file,
          bool alone) {
  if (file) return write_answers(*file, arguments.output, table, arguments.precision);
  Writer out;
  if (arguments.json) {
    table.json(out);
  } else if (alone) {
    const AnswerTable::Column& only = table.columns[1];
    if (only.answer != nullptr) {
      append_text(out.text(), AnswerTable::value_of(only, 0));
    } else {
      out.text() += cell_text(only.text(0), table.nulls);
    }
    out.text() += '\n';
  } else {
    print_lines_of(out, table, style_of_stdout(false, arguments.precision, arguments.mpi));
  }
  out.flush();
}

// Joins the answers of columns of times and of other columns by their keys, in the order of
// --columns.
class OtherColumns {
 public:
  OtherColumns(io::Grouped numbers, io::Grouped times, const io::TimeColumns& columns,
               int precision)
      : numbers_(std::move(numbers)), times_(std::move(times)), precision_(precision) {
    if (numbers_.keys != times_.keys) {
      throw Error(ErrorCode::bad_token,
                  "the files changed while they were read; let their writer finish first");
    }
    Size of[2] = {0, 0};
    for (const auto& c : columns.list) order_.emplace_back(c.time, of[c.time ? 1 : 0]++);
  }

  AnswerTable table() {
    const std::size_t ops = numbers_.answers.list.size(), parts = numbers_.by.size();
    AnswerTable all = table_of(numbers_, precision_);
    all.json = [this](Writer& out) { json(out); };
    if (parts == 0) {
      all.lines = order_.size();
      all.columns.resize(1);
      all.columns[0].text = [this](Size line) {
        return std::optional<std::string_view>(name(line));
      };
      for (std::size_t k = 0; k < ops; ++k) {
        std::vector<std::optional<std::string>> texts;
        for (const auto& [time, c] : order_) texts.push_back(text_of_answer(time, k, c));
        all.columns.push_back(
            {.name = numbers_.answers.list[k].op,
             .text = [texts](Size line) -> std::optional<std::string_view> { return texts[line]; },
             .answers_texts = true});
      }
      return all;
    }
    const AnswerTable times = table_of(times_, precision_);
    std::vector<AnswerTable::Column> columns(
        all.columns.begin(), all.columns.begin() + static_cast<std::ptrdiff_t>(parts));
    for (const auto& [time, c] : order_) {
      for (std::size_t k = 0; k < ops; ++k) {
        AnswerTable::Column column = (time ? times : all).columns[parts + c * ops + k];
        column.name = printable(of(time).columns[c]) + "_" + of(time).answers.list[k].op;
        columns.push_back(std::move(column));
      }
    }
    all.columns = std::move(columns);
    return all;
  }

 private:
  const io::Grouped& of(bool time) const { return time ? times_ : numbers_; }
  std::string_view name(Size line) const {
    return of(order_[line].first).columns[order_[line].second];
  }
  std::optional<std::string> text_of_answer(bool time, std::size_t k, Size c) const {
    std::string text;
    if (time && times_.of_text[k]) {
      const auto found = times_.text(k, 0, c);
      return found ? std::optional<std::string>(*found) : std::nullopt;
    }
    append_text(text, of(time).answers.list[k][c], precision_);
    return text;
  }

  void json(Writer& out) const {
    if (!numbers_.by.empty()) {
      for (Size g = 0; g < numbers_.keys.size(); ++g) {
        append_keys(out.text(), numbers_, g);
        for (const auto& [time, c] : order_) append_answers(out.text(), of(time), g, c, precision_);
        out.text() += "}}\n";
        out.flush_if_full();
      }
      return;
    }
    std::string& text = out.text();
    for (std::size_t k = 0; k < numbers_.answers.list.size(); ++k) {
      text += (k == 0 ? "{" : ", ") + quote(numbers_.answers.list[k].op) + ": {";
      for (Size line = 0; line < order_.size(); ++line) {
        text += (line == 0 ? "" : ", ") + quote(std::string(name(line))) + ": ";
        append_answer(text, of(order_[line].first), k, 0, order_[line].second, precision_);
      }
      text += '}';
    }
    text += "}\n";
  }

  io::Grouped numbers_, times_;
  int precision_;
  // For each column: whether it holds times, and its number among those of its kind.
  std::vector<std::pair<bool, Size>> order_;
};

}  // namespace

void fold_beside_times(const Query& query, const std::vector<std::string>& files,
                       const Arguments& arguments, const io::TimeColumns& columns) {
  refuse_beside(
      "for columns of times and of numbers together, groups are always listed in the order of "
      "their keys",
      arguments.each                  ? "--each"
      : !arguments.order.sort.empty() ? "--sort"
      : arguments.order.top != 0      ? "--top"
      : arguments.order.as_met        ? "--no-sort"
                                      : nullptr);
  std::unique_ptr<OutputFile> file = output_of(arguments);
  Arguments own = arguments;
  own.input.columns = columns.words(true);
  io::Grouped times = fold_some(io::fold_times, query, files, own), numbers;
  own.input.columns = columns.words(false);
  if (!own.input.by.empty()) {
    numbers = fold_some(io::group_asked, query, files, own);
  } else {
    io::Notes notes;
    numbers.answers = fold_with_progress(query, files, own, notes);
    check_statuses(numbers.answers, own.fold, column_text(notes));
    say(notes);
    say_missing(notes, query, own.input.missing_is_nan);
    numbers.columns = notes.columns;
    numbers.keys = times.keys;
  }
  OtherColumns all(std::move(numbers), std::move(times), columns, arguments.precision);
  give(all.table(), arguments, file, false);
}

void give_groups(const io::Grouped& grouped, const Arguments& arguments,
                 std::unique_ptr<OutputFile>& file) {
  const bool alone =
      grouped.by.empty() && grouped.answers.list.size() == 1 && grouped.columns.size() == 1;
  give(table_of(grouped, arguments.precision), arguments, file, alone);
}

}  // namespace onefold::cli
