#include "onefold/tables/weighted_columns.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "onefold/engine/comma_list.hpp"
#include "onefold/fold.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/group_order.hpp"
#include "onefold/tables/keyed_states.hpp"
#include "onefold/tables/nowhere.hpp"
#include "onefold/tables/open_files.hpp"

namespace onefold::io {
namespace {

// Rows as the reader gave them.
struct Piece {
  Size capacity = 0;
  std::vector<std::vector<std::byte>> columns = {};
  std::vector<std::byte> present = {};  // as RowReader::Rows::present(); empty: no value is missing
  std::optional<RowPartition> keys = {};
};

class WeightedColumns {
 public:
  WeightedColumns(const Query& query, const std::vector<std::string>& files,
                  const FileRequest& asked)
      : request_(query),
        ops_(query.names()),
        asked_(asked),
        limits_(limits_of(asked, files)),
        threads_(asked.fold.threads > 0 ? asked.fold.threads : default_threads()),
        pairs_(folds_pairs(query)) {
    InputOptions input = asked.input;
    input.peers = nullptr;
    if (!input.columns.empty()) input.columns += "," + asked.weights;
    // With axes, a text of numbers is a table.
    files_ = open_files(Query("min", {.axes = Axes{0}}), files, input);
    for (const OpenFile& f : files_.x) {
      if (f.table) continue;
      f.file->fail(ErrorCode::unsupported,
                   "it is not a table, so --weights must be an existing .npy file; " +
                       asked.weights + " was passed");
    }
    choose_columns();
    check();
  }

  void read(const Progress& progress, Notes& notes) {
    const std::vector<TablePart> tables = tables_of(files_);
    Meter meter(progress, files_.bytes());
    for (const TablePart& part : tables) {
      check_keyed_table(tables[0], part);
      read(part, meter, notes);
    }
    files_.check_end();
    kept_ = kept_columns(file(), table(), notes);
    if (std::erase(kept_, weights_) == 0) {
      Notes own;
      own.others[weights_] = notes.others.at(weights_);
      refuse_left_out(file(), table(), own);
    }
    if (kept_.empty() || (pairs_ && kept_.size() < 2)) {
      refuse_left_out(file(), table(), notes);
    }
  }

  Grouped fold() {
    Grouped grouped = named_groups(table());
    order_groups(grouped);
    for (const Size c : kept_) grouped.columns.push_back(table().folded[c]);
    if (pairs_) grouped.columns = {grouped.columns[0] + "," + grouped.columns[1]};
    const std::vector<std::byte> w = column(weights_);
    const Size width = grouped.columns.size();
    for (Size c = 0; c < width; ++c) {
      std::vector<std::byte> mask = present(kept_[c]);
      const std::vector<std::byte> x = column(kept_[c]);
      if (!pairs_) {
        put(fold_rows(rows_, x.data(), nullptr, w.data(), mask), c, width, grouped.answers);
        continue;
      }
      const std::vector<std::byte> other = present(kept_[1]), y = column(kept_[1]);
      if (mask.empty()) mask = other;
      for (Size i = 0; i < other.size(); ++i) mask[i] &= other[i];
      put(fold_rows(rows_, x.data(), y.data(), w.data(), mask), c, width, grouped.answers);
    }
    return grouped;
  }

 private:
  const File& file() const { return *files_.x[0].file; }
  const Table& table() const { return *files_.x[0].table; }

  // Finds the weights among the columns that are read; all others are folded.
  void choose_columns() {
    const std::vector<std::size_t> named = columns_of(file(), asked_.weights, table());
    if (named.size() != 1) {
      file().fail(ErrorCode::bad_option,
                  "--weights " + asked_.weights + " matches several columns; name one");
    }
    const Column& column = table().columns[named[0]];
    for (const char* why : {"", beyond_f64}) {
      const std::string left_out = column.name + why;
      if (std::ranges::count(table().left_out, left_out) > 0 && column.slot < 0) {
        refuse_text(file(), table(), left_out);
      }
    }
    if (column.slot < 0) {
      file().fail(ErrorCode::bad_option, "column " + column.name +
                                             " was given both to --by and to --weights; choose the "
                                             "columns to reduce with --columns");
    }
    weights_ = static_cast<Size>(column.slot);
    const Size others = table().folded.size() - 1;
    if (pairs_) check_two_columns(request_, file(), others);
    if (others == 0) {
      file().fail(ErrorCode::bad_option,
                  "its only column of numbers is the weights; name a table with another one");
    }
  }

  // Checks the request, by folding no rows.
  void check() {
    static_cast<void>(fold_rows(0, nowhere, pairs_ ? nowhere : nullptr, nowhere, {}));
    if (!asked_.order.asked()) return;
    std::vector<std::string> columns = table().folded;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(weights_));
    if (pairs_) columns = {columns[0] + "," + columns[1]};
    const auto ops = asked_.order.shown.empty() ? comma_list(ops_) : asked_.order.shown;
    check_order(asked_.order, names_of_keys(table()), columns, ops);
  }

  void read(const TablePart& part, Meter& meter, Notes& notes) {
    const File::Use use(*part.file);
    const Integers integers = asked_.input.dtype ? Integers::rounded : Integers::refused;
    const auto reader =
        open_rows(*part.file, *part.table, files_.dtype(), integers, limits_.text_chunk_bytes);
    const Size most = limits_.text_chunks(threads_);
    std::vector<Piece> pieces(most);
    const auto rows = [&](Size k, const RowReader::Rows& r) { pieces[k] = piece_of(r); };
    const Size before = rows_;
    const auto done = [&](Size k, Size n) {
      rows_ += n;
      add(std::move(pieces[k]));
      pieces[k] = {};
    };
    for (Size bytes = 0; reader->next(most, threads_, rows, done);) {
      meter.add(reader->bytes_done() - bytes);
      bytes = reader->bytes_done();
      check_memory(*part.file);
    }
    note_reading(*part.file, *part.table, *reader, rows_ - before, notes);
  }

  Piece piece_of(const RowReader::Rows& r) const {
    const Size each = bytes_of(files_.dtype()), width = table().folded.size();
    Piece piece{.capacity = r.capacity};
    for (Size c = 0; c < width; ++c) {
      const std::byte* const first = r.values + c * r.capacity * each;
      piece.columns.emplace_back(first, first + r.n * each);
    }
    if (!r.left_out.empty()) piece.present = r.present(width);
    if (!table().by.empty()) {
      piece.keys.emplace(
          r.n, 1, [&](Size row, std::string& key) { r.keys.append(row, key); },
          [&](Size row) { return r.keys.identity(row); });
    }
    return piece;
  }

  void add(Piece piece) {
    bytes_ += piece.present.size();
    if (piece.keys) {
      const std::vector<uint32_t> number = piece.keys->numbers(0, keys_);
      for (const RowPartition::Row& row : piece.keys->of_share(0)) {
        numbers_.push_back(number[row.key]);
      }
      piece.keys.reset();
    }
    pieces_.push_back(std::move(piece));
  }

  void check_memory(const File& file) const {
    const Size together = pairs_ ? 3 : 2, copies = table().by.empty() ? 1 : 2,
               columns = table().folded.size() + together * copies;
    const Size bytes = bytes_ + rows_ * columns * bytes_of(files_.dtype()) + keys_.bytes() +
                       (table().by.empty() ? 0 : 12 * rows_);
    if (bytes <= limits_.state_bytes) return;
    throw Error(ErrorCode::out_of_memory,
                "read " + file.name() + ": --weights needs all columns in memory, and " +
                    std::to_string(rows_) + " rows or more take more than " +
                    std::to_string(limits_.state_bytes >> 20) +
                    " MiB; allow more with --memory, or fold fewer columns");
  }

  // Numbers groups in the order of their answers.
  void order_groups(Grouped& grouped) {
    if (table().by.empty()) {
      grouped.keys.emplace_back();
      return;
    }
    std::vector<uint32_t> order(keys_.size());
    std::iota(order.begin(), order.end(), 0u);
    if (!asked_.order.as_met) {
      order = order_of_keys(keys_.size(), grouped.by.size(), grouped.nulls,
                            [&](Size g) { return keys_[g]; });
    }
    std::vector<uint32_t> place(order.size());
    for (const uint32_t g : order) {
      place[g] = static_cast<uint32_t>(grouped.keys.size());
      grouped.keys.emplace_back(keys_[g]);
    }
    for (uint32_t& g : numbers_) g = place[g];
  }

  // Joins a column's pieces, and frees them.
  std::vector<std::byte> column(Size slot) {
    std::vector<std::byte> all;
    all.reserve(std::max<Size>(rows_, 1) * bytes_of(files_.dtype()));
    for (Piece& piece : pieces_) {
      all.insert(all.end(), piece.columns[slot].begin(), piece.columns[slot].end());
      std::vector<std::byte>().swap(piece.columns[slot]);
    }
    return all;
  }

  // Returns for each row whether its number and its weight are present; nothing: all are. To be
  // called before column(slot).
  std::vector<std::byte> present(Size slot) const {
    std::vector<std::byte> all;
    const auto gaps = [](const Piece& piece) { return !piece.present.empty(); };
    if (std::ranges::none_of(pieces_, gaps)) return all;
    all.reserve(rows_);
    for (const Piece& piece : pieces_) {
      const Size n = piece.columns[slot].size() / bytes_of(files_.dtype());
      for (Size i = 0; i < n; ++i) {
        all.push_back(gaps(piece) ? piece.present[slot * piece.capacity + i] &
                                        piece.present[weights_ * piece.capacity + i]
                                  : std::byte{1});
      }
    }
    return all;
  }

  //   y     null: ops of one array
  //   mask  a byte for each row, 0: it is left out; empty: none is
  Answers fold_rows(Size n, const void* x, const void* y, const void* w,
                    std::span<const std::byte> mask) const {
    const DType dtype = files_.dtype();
    const Dims shape(static_cast<int64_t>(n));
    Request request{.ops = ops_, .x = ArrayRef(x, dtype, shape), .options = request_.options};
    if (y != nullptr) request.y = ArrayRef(y, dtype, shape);
    request.options.weights = ArrayRef(w, dtype, shape);
    if (!mask.empty()) {
      request.options.where = Mask(ArrayRef(mask.data(), DType::boolean, shape));
    }
    if (!table().by.empty()) {
      request.labels = ArrayRef(numbers_.data(), DType::u32, shape);
      request.groups = keys_.size();
    }
    return onefold::fold(request);
  }

  // Puts the groups' answers for a column among those of all columns.
  void put(const Answers& from, Size column, Size width, Answers& all) const {
    for (std::size_t k = 0; k < from.list.size(); ++k) {
      const Answer& a = from.list[k];
      const Size groups = a.size(), each = bytes_of(a.dtype);
      if (column == 0) {
        Answer& empty = all.list.emplace_back(
            Answer{.op = request_.ops[k]->name,
                   .dtype = a.dtype,
                   .shape = Dims(static_cast<int64_t>(groups), static_cast<int64_t>(width)),
                   .data = {},
                   .status = {}});
        empty.data.resize(groups * width * each);
        empty.status.resize(groups * width);
      }
      Answer& to = all.list[k];
      for (Size g = 0; g < groups; ++g) {
        const Size at = g * width + column;
        std::memcpy(&to.data[at * each], &a.data[g * each], each);
        to.status[at] = a.status[g];
      }
    }
  }

  const Query& request_;
  const std::string ops_;
  const FileRequest& asked_;
  const Limits limits_;
  int threads_;
  bool pairs_;  // a fold of pairs of the columns 0 and 1
  OpenFiles files_;
  Size weights_ = 0;        // their slot
  std::vector<Size> kept_;  // slots of the columns with answers
  std::vector<Piece> pieces_;
  std::vector<uint32_t> numbers_;  // of each row's group
  Keys keys_;
  Size rows_ = 0;
  Size bytes_ = 0;  // of all `present`
};

// The states of groups, each row as often as the column of --fweights says.
GroupStates repeated_groups(const Query& query, const std::vector<std::string>& files,
                            const FileRequest& asked, const Progress& progress, Notes& notes,
                            bool keeps_empty) {
  refuse_beside("a column given to --fweights repeats rows", asked.input.peers != nullptr ? "--mpi"
                                                             : asked.order.as_met ? "--no-sort"
                                                                                  : nullptr);
  FileRequest own = asked;
  own.fweights.clear();
  own.input.by += (own.input.by.empty() ? "" : ",") + asked.fweights;
  own.fold.ddof = {};
  own.fold.result = {};
  own.fold.empty_nan = false;
  GroupStates groups = gather_groups_asked(Query(query.ops, own.fold), files, own, progress, notes);
  groups.repeat(keeps_empty);
  return groups;
}

}  // namespace

bool folds_pairs(const Query& query) {
  return std::ranges::any_of(query.ops, [](const OpRow* op) {
    return op->about->inputs == 2 && !op->about->takes_weights;
  });
}

Grouped fold_weighted(const Query& query, const std::vector<std::string>& files,
                      const FileRequest& asked, const Progress& progress, Notes& notes) {
  const Options& fold = asked.fold;
  refuse_beside("a column given to --weights weights the rows",
                !fold.axes.all()          ? "--axis"
                : fold.keepdims           ? "--keepdims"
                : fold.where              ? "a mask"
                : !asked.offsets.empty()  ? "--offsets"
                : !asked.fweights.empty() ? "--fweights"
                                          : nullptr);
  if (!asked.input.by.empty()) {
    FileRequest others = asked;
    others.weights.clear();
    check_groups(others);
  }
  if (!answers_here(asked.input.peers)) return {};
  WeightedColumns columns(query, files, asked);
  columns.read(progress, notes);
  Grouped grouped = columns.fold();
  if (!asked.input.by.empty()) sort_groups(grouped, asked.order);
  return grouped;
}

Grouped fold_repeated(const Query& query, const std::vector<std::string>& files,
                      const FileRequest& asked, const Progress& progress, Notes& notes,
                      bool keeps_empty) {
  const Options& o = asked.fold;
  return repeated_groups(query, files, asked, progress, notes, keeps_empty)
      .answer(query.names(), {.result = o.result, .ddof = o.ddof, .empty_nan = o.empty_nan});
}

}  // namespace onefold::io
