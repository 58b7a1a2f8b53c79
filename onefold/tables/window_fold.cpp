#include "onefold/tables/window_fold.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "onefold/io/row_reader.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/array_groups.hpp"
#include "onefold/tables/keyed_windows.hpp"
#include "onefold/tables/open_files.hpp"
#include "onefold/tables/row_times.hpp"
#include "onefold/tables/said.hpp"
#include "onefold/tables/whole_columns.hpp"

namespace onefold::io {
namespace {

void check_window_options(const FileRequest& a) {
  const RowWindows& w = a.windows;
  const auto refuse = [](const std::string& what) { throw Error(ErrorCode::bad_option, what); };
  if (w.over.empty() != w.within.empty()) {
    refuse(w.over.empty()
               ? "--within is a span of time; name the column of times with --over"
               : "--over names a column of times; pass the span of a window with --within");
  }
  if (w.width != 0 && !w.over.empty()) {
    refuse("--rolling uses windows of rows, --over windows of time; pass one of them");
  }
  if (w.width == 0 && w.over.empty() && !w.cumulative) {
    refuse(std::string(w.detail()) +
           " applies only to windows; pass --rolling, --cumulative, or --over and --within");
  }
  w.check();
  const char* const other = !a.fold.axes.all()         ? "--axis"
                            : a.fold.keepdims          ? "--keepdims"
                            : a.fold.where             ? "a mask of --where"
                            : !a.weights.empty()       ? "--weights"
                            : !a.fweights.empty()      ? "--fweights"
                            : !a.offsets.empty()       ? "--offsets"
                            : !a.order.sort.empty()    ? "--sort"
                            : a.order.top != 0         ? "--top"
                            : a.order.as_met           ? "--no-sort"
                            : a.input.peers != nullptr ? "--mpi"
                            : names_arrays(a.input.by) ? "--by with arrays of keys"
                                                       : nullptr;
  refuse_beside("windows return an answer for each row of a table, in its order", other);
}

// A time that has no place among those of its key, or none at all.
struct BadTime {
  Size row = 0;  // within the piece
  std::string what = {};
};

// Rows as the reader gave them.
struct WindowPiece {
  RowBatch rows;
  std::vector<std::string> keys = {};  // those that occur, which `rows.keys` are numbers of
  std::optional<RowTime> kind = {};    // a time of the piece
  std::optional<BadTime> bad = {};
};

class WindowFold {
 public:
  WindowFold(const Query& query, const FileRequest& asked, const Limits& limits,
             const OpenFiles& files, const WindowedRows& done)
      : asked_(asked),
        limits_(limits),
        done_(done),
        file_(*files.x[0].file),
        first_(*files.x[0].table),
        dtype_(files.dtype()),
        integers_(integers_of(query, asked.input)),
        columns_(first_.folded.size()),
        threads_(asked.fold.threads > 0 ? asked.fold.threads : default_threads()),
        over_(!asked.windows.over.empty()),
        parts_(first_.by.size() - (over_ ? 1 : 0)),
        windows_(query, dtype_, columns_, asked.windows, span_.length) {
    rows_ = named_groups(first_);
    rows_.by.resize(parts_);
    rows_.stored.resize(parts_);
    if (rows_.nulls) rows_.types.resize(parts_);
    rows_.columns = first_.folded;
    if (query.two_arrays()) {
      check_two_columns(query, file_, columns_);
      rows_.columns = {first_.folded[0] + "," + first_.folded[1]};
    }
    if (parts_ == 0) windows_.make_keys(1);
    rows_.answers = windows_.none();
    done_(rows_);
  }

  void fold(const TablePart& part, Meter& meter, Notes& notes) {
    check_keyed_table({&file_, std::make_shared<Table>(first_)}, part);
    const File::Use use(*part.file);
    const auto reader =
        open_rows(*part.file, *part.table, dtype_, integers_, limits_.text_chunk_bytes);
    const Size most = limits_.text_chunks(threads_), before = all_;
    std::vector<WindowPiece> pieces(most);
    const auto rows = [&](Size k, const RowReader::Rows& r) { pieces[k] = piece_of(r); };
    const auto done = [&](Size k, Size) {
      check_texts(*reader);
      answer(*part.file, pieces[k]);
      pieces[k] = {};
    };
    for (Size bytes = 0; reader->next(most, threads_, rows, done);) {
      meter.add(reader->bytes_done() - bytes);
      bytes = reader->bytes_done();
    }
    check_texts(*reader);
    note_reading(*part.file, *part.table, *reader, all_ - before, notes);
  }

 private:
  // A column that seemed empty may hold text. It is too late to leave it out.
  void check_texts(const RowReader& reader) const {
    Notes notes;
    notes.others = reader.others();
    if (!notes.others.empty()) refuse_left_out(file_, first_, notes);
  }

  WindowPiece piece_of(const RowReader::Rows& r) const {
    const Size each = bytes_of(dtype_);
    WindowPiece piece{.rows = {.n = r.n,
                               .present = decltype(RowBatch::present)(columns_),
                               .terms = decltype(RowBatch::terms)(columns_)}};
    for (Size c = 0; c < columns_; ++c) {
      const std::byte* const first = r.values + c * r.capacity * each;
      piece.rows.columns.emplace_back(first, first + r.n * each);
    }
    for (const Size at : r.left_out) {
      std::vector<std::byte>& present = piece.rows.present[at / r.capacity];
      if (present.empty()) present.assign(r.n, std::byte{1});
      present[at % r.capacity] = std::byte{0};
    }
    for (DecimalTerm t : r.terms) {
      const Size column = t.place / r.capacity;
      t.place %= r.capacity;
      piece.rows.terms[column].push_back(t);
    }
    if (!first_.by.empty()) read_keys(r, piece);
    return piece;
  }

  void read_keys(const RowReader::Rows& r, WindowPiece& piece) const {
    std::unordered_map<std::string, uint32_t> known;
    std::string key, own;
    std::vector<std::string> kept(parts_);
    for (Size i = 0; i < r.n; ++i) {
      key.clear();
      r.keys.append(i, key);
      if (over_) {
        const auto parts = parts_of_key(key, parts_ + 1);
        read_time(parts.back(), i, piece);
        if (piece.bad) return;
        for (std::size_t k = 0; k < parts_; ++k) kept[k] = parts[k];
        own = parts_ == 0 ? std::string() : join_key(kept);
      } else {
        own = key;
      }
      if (parts_ == 0) continue;
      const auto [at, is_new] = known.try_emplace(own, static_cast<uint32_t>(piece.keys.size()));
      if (is_new) piece.keys.push_back(own);
      piece.rows.keys.push_back(at->second);
    }
  }

  void read_time(std::string_view text, Size row, WindowPiece& piece) const {
    const std::optional<RowTime> time = parse_row_time(text);
    if (!time) {
      const bool missing = text == null_key || is_missing(text, asked_.input.missing);
      piece.bad = {row, missing ? "is missing, and each row of a window needs a time"
                                : quote({text.data(), text.data() + text.size()}) +
                                      " is not a date, time, duration or number"};
      return;
    }
    if (!piece.kind) piece.kind = time;
    if (!time->goes_with(*piece.kind)) {
      piece.bad = {row, std::string(text) + " cannot be compared with the times before it"};
      return;
    }
    piece.rows.times.push_back(time->at);
  }

  [[noreturn]] void refuse(const File& file, const BadTime& bad) const {
    file.fail(ErrorCode::bad_token, "row " + std::to_string(all_ + bad.row + 1) +
                                        " of the table: " + asked_.windows.over + " " + bad.what);
  }

  void check_times(const File& file, const WindowPiece& piece) {
    if (piece.bad) refuse(file, *piece.bad);
    if (!piece.kind) return;
    if (!kind_) kind_ = piece.kind;
    if (!piece.kind->goes_with(*kind_))
      refuse(file, {0, "cannot be compared with the times before it"});
    if (kind_->number != span_.number) {
      file.fail(ErrorCode::bad_option, "column " + asked_.windows.over +
                                           (kind_->number ? " has numbers" : " has times") +
                                           ", but --within " + asked_.windows.within +
                                           (span_.number ? " is a number; pass a span such as 7D"
                                                         : " is a span of time; pass a number"));
    }
    const Size fall = windows_.first_fall(piece.rows);
    if (fall == piece.rows.n) return;
    refuse(file, {fall, std::string("is before the time of an earlier row") +
                            (parts_ == 0 ? "" : " of its key") + "; sort the rows by time"});
  }

  void answer(const File& file, WindowPiece& piece) {
    if (piece.rows.n == 0) return;
    std::vector<uint32_t> numbers;
    for (const std::string& key : piece.keys) {
      const auto [at, is_new] = numbers_.try_emplace(key, static_cast<uint32_t>(names_.size()));
      if (is_new) {
        names_.push_back(key);
        key_bytes_ += 2 * key.size() + bytes_of_key;
      }
      numbers.push_back(at->second);
    }
    for (uint32_t& key : piece.rows.keys) key = numbers[key];
    if (parts_ != 0) windows_.make_keys(names_.size());
    if (over_) check_times(file, piece);
    rows_.answers = windows_.fold(piece.rows);
    check_memory(file);
    rows_.keys.assign(piece.rows.n, {});
    for (Size i = 0; i < piece.rows.keys.size(); ++i) rows_.keys[i] = names_[piece.rows.keys[i]];
    check_rows();
    done_(rows_);
    all_ += piece.rows.n;
  }

  void check_rows() const {
    const PlaceText text = [this](const Answer&, Size place) {
      return " of column " + printable(rows_.columns[place % rows_.columns.size()]) + ", row " +
             std::to_string(all_ + place / rows_.columns.size() + 1);
    };
    check_statuses(rows_.answers, asked_.fold, text);
  }

  void check_memory(const File& file) const {
    const Size bytes = windows_.bytes() + key_bytes_;
    if (bytes <= limits_.state_bytes) return;
    throw Error(ErrorCode::out_of_memory,
                "read " + file.name() + ": the " +
                    (asked_.windows.cumulative ? "states" : "rows within windows") +
                    (parts_ == 0 ? "" : " of " + std::to_string(names_.size()) + " keys") +
                    " take " + std::to_string(bytes) + " bytes of memory or more, but " +
                    std::to_string(limits_.state_bytes) + " are allowed; allow more with --memory" +
                    (asked_.windows.cumulative ? "" : ", or make windows shorter"));
  }

  static constexpr Size bytes_of_key = 250;  // of a key's rows and tables, beside the rows' own

  const FileRequest& asked_;
  const Limits& limits_;
  const WindowedRows& done_;
  File& file_;
  const Table& first_;
  const DType dtype_;
  const Integers integers_;
  const Size columns_;
  const int threads_;
  const bool over_;
  const Size parts_;  // columns of keys, without the times
  const TimeSpan span_ = over_ ? parse_span("within", asked_.windows.within) : TimeSpan{};
  KeyedWindows windows_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<std::string> names_;
  std::optional<RowTime> kind_;
  Grouped rows_;
  Size all_ = 0, key_bytes_ = 0;
};

}  // namespace

void fold_row_windows(const Query& asked_query, const std::vector<std::string>& files,
                      const FileRequest& asked, const Limits& limits, const Progress& progress,
                      Notes& notes, const WindowedRows& done) {
  check_window_options(asked);
  if (!asked.windows.within.empty()) static_cast<void>(parse_span("within", asked.windows.within));
  FileRequest own = asked;
  const std::string& over = own.windows.over;
  if (!over.empty()) own.input.by += (own.input.by.empty() ? "" : ",") + over;
  // With axes, a text of numbers is a table.
  const Query along = asked_query.with(Axes{0});
  OpenFiles opened = open_files(along, files, own.input);
  for (const OpenFile& f : opened.x) {
    if (f.table && opened.y.empty()) continue;
    f.file->fail(ErrorCode::unsupported,
                 opened.y.empty() ? "it is not a table; windows need a table, or one array in a "
                                    "file that can be read again"
                                  : "windows of two arrays need two columns of one table");
  }
  if (const auto columns =
          whole_columns(opened, along, files, own.input, limits, progress, notes)) {
    own.input.columns = *columns;
    opened = open_files(along, files, own.input);
  }
  // Windows with too few values are NaN, which no type of integers has.
  if (!own.windows.detail() && has_long_sums(opened, along, files, own.input, limits)) {
    own.input.dtype = DType::i64;
    opened = open_files(along, files, own.input);
  }
  const Query query = as_spelt(along, opened, own.input);
  const std::vector<TablePart> tables = tables_of(opened);
  const Table& first = *tables[0].table;
  if (!over.empty() && columns_of(*tables[0].file, over, first).size() != 1) {
    tables[0].file->fail(ErrorCode::bad_option, "--over " + over +
                                                    " names several columns; name "
                                                    "one");
  }
  if (!first.spelt().has_value()) {
    tables[0].file->fail(ErrorCode::unsupported,
                         "some of its columns are decimals and others are not; fold each kind "
                         "separately, with --columns");
  }
  Meter meter(progress, opened.bytes());
  WindowFold fold(query, own, limits, opened, done);
  for (const TablePart& part : tables) fold.fold(part, meter, notes);
  opened.check_end();
  static_cast<void>(kept_columns(*tables[0].file, first, notes));
}

void fold_row_windows(const Query& query, const std::vector<std::string>& files,
                      const FileRequest& asked, const Progress& progress, Notes& notes,
                      const WindowedRows& done) {
  fold_row_windows(query, files, asked, limits_of(asked, files), progress, notes, done);
}

}  // namespace onefold::io
