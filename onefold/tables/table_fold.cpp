#include "onefold/tables/table_fold.hpp"

#include <algorithm>
#include <mutex>

#include "onefold/engine/backend/run.hpp"
#include "onefold/engine/group/state_table.hpp"
#include "onefold/engine/request/output.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/met_ranks.hpp"
#include "onefold/tables/nowhere.hpp"
#include "onefold/tables/rank_shares.hpp"

namespace onefold::io {
namespace {

enum class Mode { columns, whole, rows, pairs };

class TableFold {
 public:
  TableFold(const Query& query, const std::vector<TablePart>& parts, DType dtype, Integers integers,
            const Limits& limits, Meter& meter, Notes& notes, AnswerSink* sink, Peers* peers)
      : request_(query),
        parts_(parts),
        dtype_(dtype),
        integers_(integers),
        limits_(limits),
        meter_(meter),
        notes_(notes),
        peers_(peers),
        met_(peers, sink, false),
        width_(parts[0].table->folded.size()),
        axes_(axes()),
        plan_(plan_for(0, Axes())),
        output_(plan_, mode_ == Mode::rows ? 0 : plan_.answers, met_.sink(), limits.answer_bytes) {
    plan_.aligned = true;
    if (integers_ == Integers::noted && mode_ != Mode::columns) integers_ = Integers::refused;
    if (sink != nullptr) met_.sink()->begin(plan_.results[0], 2);
    threads_ = plan_.threads > 0 ? plan_.threads : default_threads();
    plan_.threads = 1;  // each piece has a thread
  }

  Answers run() {
    // Rows are rounded while their states are in cache.
    const Size state_bytes = static_cast<Size>(plan_.layout.words) * sizeof(int64_t);
    const Size rows_at_once = std::clamp<Size>(limits_.state_bytes / state_bytes, 1, 256);
    const Size states_of_piece = mode_ == Mode::rows    ? rows_at_once
                                 : mode_ == Mode::pairs ? 1
                                                        : width_;
    Size bytes = states_of_piece * state_bytes;
    if (bytes > limits_.state_bytes) {
      if (mode_ != Mode::columns || request_.indexed() || peers_ != nullptr) refuse_memory(bytes);
      lean_.emplace(plan_, width_, StateTable::Keeps::words);
      bytes = 0;
    }
    const Size fit = std::max<Size>(limits_.state_bytes / std::max<Size>(bytes, 1), 1);
    // Numbers can take eight times the bytes of their text, and two columns more than ten.
    const Size pieces = std::min(limits_.text_chunks(threads_), fit);
    whole_.emplace(plan_, lean_ ? 0 : mode_ == Mode::columns ? width_ : 1);
    for (Size k = 0; k < pieces; ++k) {
      pieces_.emplace_back(plan_, lean_ ? 0 : states_of_piece);
      answers_.emplace_back(plan_, 0);
    }
    for (const TablePart& part : share_tables(peers_, parts_, threads_)) fold(part, pieces);
    if (peers_ != nullptr) meet_ranks();
    if (!answers_here(peers_)) return output_.take(Dims(0));
    const Table& table = *parts_[0].table;
    // describe may have no column to show.
    std::vector<Size> kept = integers_ == Integers::noted || request_.options.wide
                                 ? columns_of_numbers(table, notes_)
                                 : kept_columns(*parts_[0].file, table, notes_);
    if (mode_ == Mode::columns) drop_without_values(request_, table, notes_, kept);
    if (mode_ != Mode::columns && kept.size() < width_) {
      refuse_left_out(*parts_[0].file, table, notes_);
    }
    width_ = kept.size();
    const Plan final = plan_for(rows_, axes_);
    if (mode_ != Mode::rows) {
      output_.grow(final.answers);
      std::vector<int64_t> state(static_cast<std::size_t>(plan_.layout.words));
      for (Size a = 0; a < final.answers; ++a) {
        if (lean_) lean_->get(kept[a], state.data());
        output_.put(plan_, a,
                    lean_ ? state.data() : (*whole_)[mode_ == Mode::columns ? kept[a] : 0]);
      }
    }
    if (mode_ == Mode::columns && !table.plain) {
      for (const Size c : kept) notes_.columns.push_back(table.folded[c]);
      notes_.slots = kept;
      notes_.bare = width_ == 1;
    }
    return output_.take(final.output);
  }

 private:
  // Sets which columns are folded, and returns the axes to fold of a table of rows and columns.
  Axes axes() {
    const Table& table = *parts_[0].table;
    Axes asked = request_.options.axes;
    if (request_.two_arrays()) {
      mode_ = Mode::pairs;
      check_pair(asked);
      return asked;
    }
    // Columns beside others of text are no array, whether they have names or not.
    const auto is_text = [](const std::string& column) { return !column.ends_with(beyond_f64); };
    const bool texts = std::ranges::any_of(table.left_out, is_text);
    if (asked.all() && (table.header || table.chosen || texts)) asked = Axes{0};
    if (asked.all()) {
      mode_ = Mode::whole;
    } else {
      bool folded[2] = {};
      for (const int64_t axis : asked.list()) folded[axis < 0 ? axis + 2 : axis] = true;
      mode_ = folded[0] && folded[1] ? Mode::whole : folded[1] ? Mode::rows : Mode::columns;
      if (!folded[0] && !folded[1]) {
        parts_[0].file->fail(
            ErrorCode::unsupported,
            "a table must be reduced along at least one axis; pass --axis 0 or --axis 1");
      }
    }
    if (mode_ != Mode::columns && !table.left_out.empty()) {
      refuse_text(table.left_out[0]);
    }
    return asked;
  }

  [[noreturn]] void refuse_text(const std::string& column) const {
    io::refuse_text(*parts_[0].file, *parts_[0].table, column);
  }

  [[noreturn]] void refuse_memory(Size bytes) const {
    throw Error(
        ErrorCode::out_of_memory,
        "read " + parts_[0].file->name() + ": the states of " + std::to_string(width_) +
            " columns take " + std::to_string(bytes) + " bytes, but " +
            std::to_string(limits_.state_bytes) +
            " are allowed; choose fewer columns with --columns, or allow more with --memory");
  }

  void check_pair(const Axes& asked) const {
    const File& file = *parts_[0].file;
    check_two_columns(request_, file, parts_[0].table->folded.size());
    if (asked.all()) return;
    file.fail(ErrorCode::bad_axis,
              "this op reduces two columns of a table to one value; leave --axis out");
  }

  Plan plan_for(Size rows, const Axes& axes) const {
    if (mode_ == Mode::pairs) {
      const ArrayRef column(nowhere, dtype_, Dims(static_cast<int64_t>(rows)));
      return backend::checked(request_.with(axes).plan(column, &column));
    }
    const Dims shape(static_cast<int64_t>(rows), static_cast<int64_t>(width_));
    const ArrayRef x(nowhere, dtype_, axes.all() && rows == 0 ? Dims(0) : shape);
    return backend::checked(request_.with(axes).plan(x));
  }

  void fold(const TablePart& part, Size pieces) {
    if (part.table->folded != parts_[0].table->folded) refuse_other_columns(*part.file);
    const File::Use use(*part.file);
    const Size before = rows_;
    const auto reader =
        open_rows(*part.file, *part.table, dtype_, integers_, limits_.text_chunk_bytes);
    const auto rows = [&](Size k, const RowReader::Rows& r) {
      if (mode_ != Mode::rows) return gather_columns(pieces_[k], r);
      fold_rows(pieces_[k], answers_[k], r);
    };
    const auto done = [&](Size k, Size n) {
      if (mode_ == Mode::rows) {
        output_.grow(rows_ + n);
        output_.take_over(rows_, answers_[k], 0, n);
      } else {
        merge_piece(pieces_[k]);
      }
      rows_ += n;
    };
    for (Size bytes = 0; reader->next(pieces, threads_, rows, done);) {
      meter_.add(reader->bytes_done() - bytes);
      bytes = reader->bytes_done();
    }
    note_reading(*part.file, *part.table, *reader, rows_ - before, notes_);
  }

  // Gathers n numbers, `apart` elements from one to the next, into each of `kept` states, whose
  // first numbers are `next` elements apart.
  //   present  a byte for each number, 0 if it is missing; null: none is missing
  void gather(const Plan& plan, const std::byte* x, const std::byte* present, Size kept, Size next,
              Size n, Size apart, int64_t* states, const backend::SpeltTerms& spelt = {}) const {
    if (n == 0 || kept == 0) return;
    Nest table{.bytes = bytes_of(dtype_)};
    add_axis(table, kept, next, false);
    add_axis(table, n, apart, true);
    if (present == nullptr) return backend::gather(plan, table, x, nullptr, states, spelt);
    for (Axis& a : table.axes) a.stride[2] = a.stride[0] / static_cast<int64_t>(table.bytes);
    Plan masked = plan;
    masked.where = {Selector::By::bytes, present};
    backend::gather(masked, table, x, nullptr, states, spelt);
  }

  // A pair is present if both of its numbers are.
  void gather_pairs(StateTable& states, const RowReader::Rows& r) const {
    if (r.n == 0) return;
    Nest line{.bytes = bytes_of(dtype_)};
    add_axis(line, r.n, 1, true);
    Plan masked = plan_;
    std::vector<std::byte> present;
    if (!r.left_out.empty()) {
      present = r.present(2);
      for (Size k = 0; k < r.n; ++k) present[k] &= present[r.capacity + k];
      for (Axis& a : line.axes) a.stride[2] = 1;
      masked.where = {Selector::By::bytes, present.data()};
    }
    backend::gather(masked, line, r.values, r.values + r.capacity * line.bytes, states[0]);
  }

  // Adds the numbers of many columns one by one, to a table that holds only words which some column
  // uses.
  void add_lean(const RowReader::Rows& r) {
    std::vector<std::byte> present, values, is_long;
    if (!r.left_out.empty()) present = r.present(width_);
    const Size each = bytes_of(dtype_);
    std::vector<uint32_t> column;
    const std::lock_guard lock(mutex_);
    auto t = r.terms.begin();
    for (Size c = 0; c < width_; ++c) {
      column.clear(), values.clear(), is_long.clear();
      for (Size at = c * r.capacity; at < c * r.capacity + r.n; ++at) {
        if (!present.empty() && present[at] == std::byte{0}) continue;
        values.insert(values.end(), r.values + at * each, r.values + (at + 1) * each);
        column.push_back(static_cast<uint32_t>(c));
        while (t != r.terms.end() && t->place < at) ++t;
        is_long.push_back(std::byte{t != r.terms.end() && t->place == at});
        for (; t != r.terms.end() && t->place == at; ++t) lean_->add(c, *t);
      }
      lean_->add(column.data(), values.data(), 1, column.size(),
                 r.terms.empty() ? nullptr : is_long.data());
      if (lean_->bytes() > limits_.state_bytes) refuse_memory(lean_->bytes());
    }
  }

  void gather_columns(StateTable& states, const RowReader::Rows& r) {
    if (lean_) return add_lean(r);
    if (mode_ == Mode::pairs) return gather_pairs(states, r);
    if (r.left_out.empty() && r.terms.empty()) {
      return gather(plan_, r.values, nullptr, width_, r.capacity, r.n, 1, states[0]);
    }
    std::vector<std::byte> present;
    std::vector<bool> gaps(width_);
    if (!r.left_out.empty()) present = r.present(width_);
    for (const Size place : r.left_out) gaps[place / r.capacity] = true;
    for (Size c = 0; c < width_; ++c) {
      const Size at = c * r.capacity;
      gather(plan_, r.values + at * bytes_of(dtype_), gaps[c] ? &present[at] : nullptr, 1, 1, r.n,
             1, states[c], {r.terms, at, r.n, {}});
    }
  }

  void fold_rows(StateTable& states, Output& answers, const RowReader::Rows& r) const {
    answers.grow(r.n);
    std::vector<std::byte> present;
    if (!r.left_out.empty()) present = r.present(width_);
    // As backend::gather does, but for all rows of a piece at once, so `terms` are ordered by rows.
    std::vector<DecimalTerm> terms;
    if (plan_.needs.has(Accumulator::decimal)) terms.assign(r.terms.begin(), r.terms.end());
    std::vector<double> short_ones;
    if (!terms.empty()) {
      const auto* const values = reinterpret_cast<const double*>(r.values);
      short_ones.assign(values, values + width_ * r.capacity);
      for (const DecimalTerm& t : terms) short_ones[t.place] = 0;
      for (DecimalTerm& t : terms) t.place %= r.capacity;
      std::ranges::stable_sort(terms, {}, &DecimalTerm::place);
    }
    auto t = terms.begin();
    for (Size at = 0; at < r.n; at += states.size()) {
      const Size n = std::min(states.size(), r.n - at);
      states.clear();
      const auto gather_rows = [&](const Plan& plan, const void* values) {
        gather(plan, static_cast<const std::byte*>(values) + at * bytes_of(dtype_),
               present.empty() ? nullptr : &present[at], n, 1, width_, r.capacity, states[0]);
      };
      gather_rows(terms.empty() ? plan_ : backend::without_decimals(plan_), r.values);
      if (!terms.empty()) gather_rows(backend::decimals_of(plan_), short_ones.data());
      for (; t != terms.end() && t->place < at + n; ++t) {
        backend::add_terms(plan_, {t, 1}, states[t->place - at]);
      }
      for (Size k = 0; k < n; ++k) answers.put(plan_, at + k, states[k]);
    }
  }

  // Merges the rows of the ranks, one rank after another.
  void meet_ranks() {
    const Size mine = rows_;
    Size before = 0, all = 0;
    const std::vector<uint64_t> rows = peers_->gather(mine);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (r == peers_->rank()) before = all;
      all += rows[r];
    }
    rows_ = all;
    if (mode_ == Mode::rows) {
      if (peers_->first()) output_.grow(all);
      met_.meet(output_, {{0, mine}}, before);
    } else {
      for (Size c = 0; c < whole_->size(); ++c) {
        const Size step = mode_ == Mode::columns ? 1 : width_;
        change_indices((*whole_)[c], plan_.layout, plan_.dtype,
                       [&](Size i) { return before * step + i; });
      }
      meet(*peers_, plan_, *whole_);
    }
    notes_.folded = parts_[0].table->folded;
    io::meet(peers_, notes_);
  }

  // Adds the states of a piece, once the number of rows before it is known.
  void merge_piece(StateTable& piece) {
    if (lean_) return;
    for (Size c = 0; c < piece.size(); ++c) {
      change_indices(piece[c], plan_.layout, plan_.dtype, [&](Size i) {
        return mode_ == Mode::columns ? rows_ + i : (rows_ + i) * width_ + c;
      });
      merge((*whole_)[mode_ == Mode::columns ? c : 0], piece[c], plan_.layout, plan_.dtype);
    }
    piece.clear();
  }

  const Query& request_;
  const std::vector<TablePart>& parts_;
  DType dtype_;
  Integers integers_;
  const Limits& limits_;
  Meter& meter_;
  Notes& notes_;
  Peers* peers_;
  MetAnswers met_;
  Size width_;
  Mode mode_ = Mode::columns;
  Axes axes_;
  Plan plan_;
  Output output_;
  int threads_ = 1;
  std::optional<StateTable> whole_;
  std::optional<StateTable> lean_;  // states of columns that are too many for whole states
  std::mutex mutex_;                // locked while elements are added to lean_
  std::vector<StateTable> pieces_;
  std::vector<Output> answers_;  // answers of the rows of each piece
  Size rows_ = 0;
};

}  // namespace

void refuse_text(const File& file, const Table& table, const std::string& column) {
  if (column.ends_with(beyond_f64)) {
    file.fail(ErrorCode::out_of_range,
              "column " + column + " is left out; choose others with --columns");
  }
  const char* const hint = table.header ? "" : ", or pass --header yes if line 1 has column names";
  file.fail(ErrorCode::bad_token,
            "column " + column + " holds text; leave it out with --columns" + hint);
}

void refuse_other_columns(const File& other) {
  other.fail(ErrorCode::shape_mismatch,
             "its columns differ from those of the first file; choose common columns with "
             "--columns, or pass --union, which treats the values of absent columns as missing");
}

void check_two_columns(const Query& query, const File& file, Size width) {
  if (width == 2) return;
  file.fail(ErrorCode::bad_option, query.names() + " needs two columns of a table, but " +
                                       std::to_string(width) + (width == 1 ? " is" : " are") +
                                       " chosen; choose two, as in --columns x,y");
}

Answers fold_tables(const Query& query, const std::vector<TablePart>& parts, DType dtype,
                    Integers integers, const Limits& limits, Meter& meter, Notes& notes,
                    AnswerSink* sink, Peers* peers) {
  return TableFold(query, parts, dtype, integers, limits, meter, notes, sink, peers).run();
}

}  // namespace onefold::io
