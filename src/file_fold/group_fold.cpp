#include "file_fold/group_fold.hpp"

#include <algorithm>

#include "comma_list.hpp"
#include "file_fold/array_groups.hpp"
#include "file_fold/file_plan.hpp"
#include "file_fold/group_order.hpp"
#include "file_fold/keyed_states.hpp"
#include "file_fold/open_files.hpp"
#include "file_fold/rank_shares.hpp"
#include "file_fold/table_kinds.hpp"
#include "group/group_plan.hpp"
#include "io/row_reader.hpp"
#include "io/table_rows.hpp"
#include "parallel.hpp"
#include "plan/plan.hpp"

namespace onefold::io {
namespace {

class GroupFold {
 public:
  GroupFold(const Request& request, const Table& table, DType dtype, const Limits& limits)
      : plan_(group_plan(request, dtype, true)),
        limits_(limits),
        parts_(table.by.size()),
        columns_(table.folded.size()),
        nulls_(table.source != nullptr),
        threads_(plan_.threads > 0 ? plan_.threads : default_threads()),
        states_(plan_, table.folded.size(), threads_) {}

  void fold(File& file, const Table& table, Integers integers, Meter& meter, Notes& notes) {
    const File::Use use(file);
    const auto reader = open_rows(file, table, plan_.dtype, integers, limits_.text_chunk_bytes);
    // Where a piece begins is known only after those before it; until then an index is the number
    // of the piece, and below it that of the row in it.
    const auto rows = [&](Size k, const RowReader::Rows& r) {
      std::vector<std::byte> present;
      if (!r.left_out.empty()) present = r.present(columns_);
      states_.add({r.n, r.values, 1, r.capacity, present.empty() ? nullptr : present.data(),
                   r.terms, (begins_.size() + k) << row_bits},
                  [&](Size row, std::string& key) { r.keys.append(row, key); });
    };
    Size n = 0;
    std::vector<Size> begins;
    const auto done = [&](Size, Size rows_of_piece) {
      begins.push_back(rows_);
      rows_ += rows_of_piece;
      n += rows_of_piece;
    };
    for (Size bytes = 0; reader->next(limits_.text_chunks(threads_), threads_, rows, done);) {
      meter.add(reader->bytes_done() - bytes);
      bytes = reader->bytes_done();
      begins_.insert(begins_.end(), begins.begin(), begins.end());
      begins.clear();
      states_.check_memory(file, limits_);
    }
    note_reading(file, table, *reader, n, notes);
  }

  int threads() const { return threads_; }

  void meet(Peers* peers) {
    if (peers == nullptr) return;
    const std::vector<uint64_t> rows = peers->gather(rows_);
    Size before = 0;
    for (std::size_t r = 0; r < peers->rank(); ++r) before += rows[r];
    states_.meet(*peers, [&](Size index) { return before + row_of(index); });
    begins_.clear();
  }

  //   columns  the columns with answers
  void finish(Grouped& grouped, const std::vector<Size>& columns) {
    const std::vector<KeyedStates::Place> places = in_order();
    grouped.answers =
        states_.answers(places, columns, [this](Size index) { return row_of(index); });
    for (const auto& p : places) grouped.keys.emplace_back(states_.key_of(p));
    grouped.nulls = nulls_;
  }

 private:
  // The row that an index stands for; after ranks have met it is the index.
  Size row_of(Size index) const {
    if (begins_.empty()) return index;
    return begins_[index >> row_bits] + (index & ((Size{1} << row_bits) - 1));
  }

  // All groups, sorted by their keys.
  std::vector<KeyedStates::Place> in_order() const {
    using Place = KeyedStates::Place;
    const std::vector<Place> places = states_.places();
    const auto key_of = [&](const Place& p) { return states_.key_of(p); };
    // The numbers of a column's keys, if all of them are numbers.
    std::vector<std::vector<double>> numbers(parts_);
    for (std::size_t k = 0; k < parts_; ++k) {
      numbers[k] = numbers_of_keys(places.size(), nulls_, [&](Size g) {
        return parts_of_key(key_of(places[g]), parts_)[k];
      });
    }
    // Keys are compared by 8 bytes behind what they all begin with, or by their first number, in
    // which most differ: this sorts 10^6 keys in a fifth of the time.
    std::size_t alike = 0;
    if (numbers[0].empty() && !places.empty()) {
      const std::string_view one = first_part(key_of(places[0]));
      alike = one.size();
      for (const Place& p : places) {
        const std::string_view other = first_part(key_of(p)).substr(0, alike);
        const auto differs = std::mismatch(other.begin(), other.end(), one.begin()).first;
        alike = static_cast<std::size_t>(differs - other.begin());
      }
    }
    struct Ordered {
      uint64_t head;
      uint32_t place;
    };
    std::vector<Ordered> order;
    order.reserve(places.size());
    for (uint32_t k = 0; k < places.size(); ++k) {
      order.push_back({numbers[0].empty() ? head_of(first_part(key_of(places[k])).substr(alike))
                                          : head_of(numbers[0][k]),
                       k});
    }
    std::sort(order.begin(), order.end(), [&](const Ordered& one, const Ordered& other) {
      if (one.head != other.head) return one.head < other.head;
      const uint32_t a = one.place, b = other.place;
      const auto x = parts_of_key(key_of(places[a]), parts_);
      const auto y = parts_of_key(key_of(places[b]), parts_);
      for (std::size_t k = 0; k < parts_; ++k) {
        if (!numbers[k].empty() && numbers[k][a] != numbers[k][b]) {
          return numbers[k][a] < numbers[k][b];
        }
        if (x[k] != y[k]) return x[k] < y[k];
      }
      return false;
    });
    std::vector<Place> sorted;
    for (const Ordered& o : order) sorted.push_back(places[o.place]);
    return sorted;
  }

  std::string_view first_part(std::string_view key) const {
    return parts_ == 1 ? key : parts_of_key(key, parts_)[0];
  }
  // Keys whose first bytes differ have the order of these bytes.
  static uint64_t head_of(std::string_view text) {
    uint64_t head = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      head = head << 8 | (k < text.size() ? static_cast<unsigned char>(text[k]) : 0u);
    }
    return head;
  }
  static uint64_t head_of(double number) {
    const auto bits = bit_cast<uint64_t>(number == 0 ? 0.0 : number);
    return bits >> 63 != 0 ? ~bits : bits | uint64_t{1} << 63;
  }

  static constexpr int row_bits = 32;

  Plan plan_;
  const Limits& limits_;
  std::size_t parts_;
  Size columns_;
  bool nulls_;  // null_key is no text
  int threads_;
  std::vector<Size> begins_;  // the first row of each piece
  Size rows_ = 0;
  KeyedStates states_;
};

std::vector<std::string> names_of_keys(const Table& table) {
  std::vector<std::string> names;
  for (const std::size_t k : table.by) names.push_back(table.columns[k].name);
  return names;
}

OpenFiles open_tables(const Request& request, const std::vector<std::string>& files,
                      const InputOptions& input) {
  OpenFiles r = open_files(request, files, input);
  for (const OpenFile& f : r.x) {
    if (!f.table)
      f.file->fail(ErrorCode::unsupported, "it is no table, and has no columns of keys for --by");
  }
  return r;
}

Grouped group_tables(const Request& request, const std::vector<TablePart>& tables, DType dtype,
                     const InputOptions& input, const Limits& limits, Meter& meter, Notes& said) {
  const Table& first = *tables[0].table;
  GroupFold fold(request, first, dtype, limits);
  Grouped grouped{.by = names_of_keys(first), .columns = {}, .keys = {}, .answers = {}};
  for (const TablePart& f : share_tables(input.peers, tables, fold.threads())) {
    if (f.table->folded != first.folded || names_of_keys(*f.table) != grouped.by) {
      f.file->fail(ErrorCode::shape_mismatch, "its columns are not those of " +
                                                  tables[0].file->name() +
                                                  "; choose those that both have by --columns");
    }
    fold.fold(*f.file, *f.table, integers_of(request, input), meter, said);
  }
  fold.meet(input.peers);
  said.folded = first.folded;
  meet(input.peers, said);
  if (!answers_here(input.peers)) return grouped;
  const std::vector<Size> kept = kept_columns(*tables[0].file, first, said);
  for (const Size c : kept) grouped.columns.push_back(first.folded[c]);
  fold.finish(grouped, kept);
  if (first.source != nullptr) grouped.types = types_of_keys(first, grouped);
  grouped.spelt = text_of(first) != nullptr;
  for (const std::size_t k : first.by) grouped.stored.push_back(first.columns[k].stored);
  return grouped;
}

}  // namespace

std::vector<std::optional<DType>> types_of_keys(const Table& table, const Grouped& grouped) {
  std::vector<std::optional<DType>> types;
  for (const std::size_t k : table.by) {
    types.push_back(table.columns[k].stored);
    if (types.back() && is_floating(*types.back())) types.back().reset();
  }
  for (const std::string& key : grouped.keys) {
    const auto parts = parts_of_key(key, types.size());
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (parts[k] == null_key) types[k].reset();
    }
  }
  return types;
}

FilePlan plan_groups(const Request& asked, const std::vector<std::string>& files,
                     const InputOptions& input) {
  const bool places = !names_arrays(input.by);
  static_cast<void>(group_plan(asked, DType::f64, places));  // before anything is opened
  if (names_arrays(input.by)) return plan_group_arrays(asked, files, input);
  const OpenFiles r = open_tables(asked, files, input);
  const Request request = as_spelt(asked, r, input);
  FilePlan how;
  how.shape_known = false;
  how.files = files;
  how.plan = group_plan(request, r.dtype(), true);
  how.format = r.x[0].format_name();
  how.dtype = r.dtype();
  how.access = "table";
  how.bytes = r.bytes();
  how.window_bytes = Limits().text_chunk_bytes;
  how.by = names_of_keys(*r.x[0].table);
  how.columns = r.x[0].table->folded;
  return how;
}

Grouped group_files(const Request& asked, const std::vector<std::string>& files,
                    const InputOptions& input, const Progress& progress, const Limits& limits,
                    Notes* notes, const GroupOrder& order) {
  const bool places = !names_arrays(input.by);
  static_cast<void>(group_plan(asked, DType::f64, places));  // before anything is opened
  Grouped grouped;
  if (names_arrays(input.by)) {
    grouped = group_arrays(asked, files, input, progress, limits);
    if (answers_here(input.peers)) sort_groups(grouped, order);
    return grouped;
  }
  OpenFiles r = open_tables(asked, files, input);
  const Request request = as_spelt(asked, r, input);
  Notes unheard;
  Notes& said = notes == nullptr ? unheard : *notes;
  std::vector<TablePart> tables;
  for (const OpenFile& f : r.x) tables.push_back({f.file.get(), f.table});
  const Table& first = *tables[0].table;
  const bool one_kind = first.spelt().has_value();
  Meter meter(progress, one_kind ? r.bytes() : 2 * r.bytes());
  const auto fold = [&](const Request& own, const std::vector<TablePart>& some, Notes& heard) {
    return group_tables(own, some, r.dtype(), input, limits, meter, heard);
  };
  if (order.asked()) {
    const auto ops = order.shown.empty() ? comma_list(asked.names()) : order.shown;
    check_order(order, names_of_keys(first), first.folded, ops);
  }
  if (one_kind) {
    grouped = fold(request, tables, said);
  } else {
    Answers answers =
        fold_kinds(request, tables, said,
                   [&](const Request& own, const std::vector<TablePart>& some, Notes& heard) {
                     grouped = fold(own, some, heard);  // the keys of both are the same
                     return grouped.answers;
                   });
    grouped.answers = std::move(answers);
    grouped.columns = first.folded;
  }
  r.check_end();
  if (answers_here(input.peers)) sort_groups(grouped, order);
  return grouped;
}

}  // namespace onefold::io
