#include "onefold/tables/group_fold.hpp"

#include <algorithm>

#include "onefold/engine/comma_list.hpp"
#include "onefold/engine/group/group_plan.hpp"
#include "onefold/engine/plan/plan.hpp"
#include "onefold/engine/state/states.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/array_groups.hpp"
#include "onefold/tables/file_plan.hpp"
#include "onefold/tables/group_order.hpp"
#include "onefold/tables/group_states.hpp"
#include "onefold/tables/keyed_states.hpp"
#include "onefold/tables/open_files.hpp"
#include "onefold/tables/rank_shares.hpp"
#include "onefold/tables/table_kinds.hpp"

namespace onefold::io {
namespace {

class GroupFold {
 public:
  //   elements  whether groups need indices or pairs; states that are saved have neither
  //   as_met    groups stay in the order of their first rows
  GroupFold(const Query& query, const Table& table, DType dtype, const Limits& limits,
            const GroupElements& elements, bool as_met)
      : plan_(group_plan(query, dtype, elements)),
        limits_(limits),
        parts_(table.by.size()),
        columns_(table.folded.size()),
        pairs_(query.two_arrays()),
        nulls_(table.source != nullptr),
        as_met_(as_met),
        threads_(plan_.threads > 0 ? plan_.threads : default_threads()),
        states_(plan_, pairs_ ? 1 : table.folded.size(), threads_, as_met) {}

  void fold(File& file, const Table& table, Integers integers, Meter& meter, Notes& notes) {
    const File::Use use(file);
    const auto reader = open_rows(file, table, plan_.dtype, integers, limits_.text_chunk_bytes);
    // A piece's first row is known only when the pieces before it are done. Until then an index
    // consists of the piece's number and, in its lower 32 bits, the row within the piece.
    const auto rows = [&](Size k, const RowReader::Rows& r) {
      std::vector<std::byte> present;
      if (!r.left_out.empty()) present = r.present(columns_);
      states_.add(
          {r.n, r.values, 1, r.capacity, present.empty() ? nullptr : present.data(), r.terms,
           (begins_.size() + k) << row_bits},
          [&](Size row, std::string& key) { r.keys.append(row, key); },
          [&](Size row) { return r.keys.identity(row); });
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

  // Ends the folding; `peers` may be null.
  void meet(Peers* peers) {
    states_.settle();
    if (peers == nullptr) return;
    const std::vector<uint64_t> rows = peers->gather(rows_);
    Size before = 0;
    for (std::size_t r = 0; r < peers->rank(); ++r) before += rows[r];
    states_.meet(*peers, [&](Size index) { return before + row_of(index); });
    begins_.clear();
  }

  //   columns  the columns with answers
  void finish(Grouped& grouped, const std::vector<Size>& columns) {
    const std::vector<KeyedStates::GroupIndex> places = in_order();
    grouped.answers = states_.answers(places, pairs_ ? std::vector<Size>{0} : columns,
                                      [this](Size index) { return row_of(index); });
    grouped.keys.reserve(places.size());
    for (const auto& p : places) grouped.keys.emplace_back(states_.key_of(p));
  }

  // Copies the states of columns with answers, groups in ascending order of keys.
  void keep(GroupStates& groups, const std::vector<Size>& columns) const {
    std::vector<KeyedStates::GroupIndex> places = states_.places();
    std::ranges::sort(places, {}, [&](const auto& p) { return states_.key_of(p); });
    const Dims shape(static_cast<int64_t>(places.size()), static_cast<int64_t>(columns.size()));
    auto states = std::make_unique<States::Impl>(
        States::Impl{.kind = kind_of(plan_, 0),
                     .shape = shape,
                     .slices = {plan_.dtype, plan_.layout, places.size() * columns.size()}});
    std::vector<int64_t> words(static_cast<std::size_t>(plan_.layout.words));
    const int64_t& n =
        words[static_cast<std::size_t>(plan_.layout.offset[static_cast<int>(Accumulator::tally)])];
    Size slice = 0;
    for (const auto& p : places) {
      groups.keys.emplace_back(states_.key_of(p));
      for (const Size c : columns) {
        states_.get(p, c, words.data());
        states->slices.put(slice++, 1, words.data(), true,
                           [&](Size) { return static_cast<Size>(n); });
      }
    }
    states->slices.trim();
    states->count_largest();
    groups.states = States(std::move(states));
    groups.nulls = nulls_;
  }

 private:
  // Converts an index to the number of a row. After the ranks' groups have been merged, it is that
  // already.
  Size row_of(Size index) const {
    if (begins_.empty()) return index;
    return begins_[index >> row_bits] + (index & ((Size{1} << row_bits) - 1));
  }

  // Returns all groups, in the order of their keys or of their first rows.
  std::vector<KeyedStates::GroupIndex> in_order() const {
    using GroupIndex = KeyedStates::GroupIndex;
    std::vector<GroupIndex> places = states_.places();
    if (as_met_) {
      std::ranges::sort(places, {}, [&](const GroupIndex& p) { return states_.first_row(p); });
      return places;
    }
    const std::vector<uint32_t> order = order_of_keys(
        places.size(), parts_, nulls_, [&](Size g) { return states_.key_of(places[g]); });
    std::vector<GroupIndex> sorted;
    sorted.reserve(order.size());
    for (const uint32_t g : order) sorted.push_back(places[g]);
    return sorted;
  }

  static constexpr int row_bits = 32;

  Plan plan_;
  const Limits& limits_;
  std::size_t parts_;
  Size columns_;
  bool pairs_;  // a group has one state, for the pairs of both columns
  bool nulls_;  // null_key stands for null, since keys come from a container
  bool as_met_;
  int threads_;
  std::vector<Size> begins_;  // the first row of each piece
  Size rows_ = 0;
  KeyedStates states_;
};

// Rows of tables have indices, and two columns can be pairs; groups of arrays and saved states have
// neither.
constexpr GroupElements of_tables{.places = true, .pairs = true};
GroupElements elements_by(const InputOptions& input) {
  return names_arrays(input.by) ? GroupElements{} : of_tables;
}

// Returns the names of a group's answers: the folded columns, or the pair of them.
std::vector<std::string> answered_columns(const Query& query, const Table& table) {
  if (!query.two_arrays()) return table.folded;
  return {table.folded[0] + "," + table.folded[1]};
}

// Folds those tables, or rows of tables, that belong to this rank.
void fold_share(GroupFold& fold, const std::vector<TablePart>& tables,
                const std::vector<TablePart>& mine, Integers integers, Meter& meter, Notes& said) {
  for (const TablePart& f : mine) {
    check_keyed_table(tables[0], f);
    fold.fold(*f.file, *f.table, integers, meter, said);
  }
}

Grouped group_tables(const Query& query, const std::vector<TablePart>& tables, DType dtype,
                     const InputOptions& input, const Limits& limits, bool as_met, Meter& meter,
                     Notes& said) {
  const Table& first = *tables[0].table;
  GroupFold fold(query, first, dtype, limits, of_tables, as_met);
  Grouped grouped = named_groups(first);
  const auto mine = share_tables(input.peers, tables, fold.threads());
  fold_share(fold, tables, mine, integers_of(query, input), meter, said);
  fold.meet(input.peers);
  said.folded = first.folded;
  meet(input.peers, said);
  if (!answers_here(input.peers)) return grouped;
  // describe may have no column to show.
  std::vector<Size> kept = query.options.wide ? columns_of_numbers(first, said)
                                              : kept_columns(*tables[0].file, first, said);
  if (!query.two_arrays()) drop_without_values(query, first, said, kept);
  for (const Size c : kept) grouped.columns.push_back(first.folded[c]);
  if (query.two_arrays()) {
    if (kept.size() < 2) refuse_left_out(*tables[0].file, first, said);
    grouped.columns = answered_columns(query, first);
  }
  fold.finish(grouped, kept);
  return grouped;
}

}  // namespace

std::vector<std::string> names_of_keys(const Table& table) { return labels_of(table, table.by); }

OpenFiles open_keyed_tables(const Query& query, const std::vector<std::string>& files,
                            const InputOptions& input) {
  OpenFiles r = open_files(query, files, input);
  for (const OpenFile& f : r.x) {
    if (!f.table)
      f.file->fail(ErrorCode::unsupported,
                   "it is an array, not a table, so --by cannot find the column " + input.by +
                       "; pass a table");
  }
  return r;
}

void check_keyed_table(const TablePart& first, const TablePart& other) {
  if (other.table->folded == first.table->folded &&
      names_of_keys(*other.table) == names_of_keys(*first.table)) {
    return;
  }
  refuse_other_columns(*other.file);
}

Grouped named_groups(const Table& table) {
  Grouped grouped{.by = names_of_keys(table), .columns = {}, .keys = {}, .answers = {}};
  for (const std::size_t k : table.by) grouped.stored.push_back(table.columns[k].stored);
  grouped.spelt = text_of(table) != nullptr;
  grouped.nulls = table.source != nullptr;
  if (grouped.nulls) grouped.types = types_of_keys(grouped.stored);
  return grouped;
}

std::vector<std::optional<DType>> types_of_keys(std::vector<std::optional<DType>> types) {
  for (auto& type : types) {
    if (type && is_floating(*type)) type.reset();
  }
  return types;
}

FilePlan plan_groups(const Query& asked, const std::vector<std::string>& files,
                     const InputOptions& input) {
  static_cast<void>(
      group_plan(asked, DType::f64, elements_by(input)));  // before anything is opened
  if (names_arrays(input.by)) return plan_group_arrays(asked, files, input);
  const OpenFiles r = open_keyed_tables(asked, files, input);
  const Query query = as_spelt(asked, r, input);
  FilePlan how;
  how.shape_known = false;
  how.files = files;
  how.plan = group_plan(query, r.dtype(), of_tables);
  how.format = r.x[0].format_name();
  how.dtype = r.dtype();
  how.access = "table";
  how.bytes = r.bytes();
  how.window_bytes = Limits().text_chunk_bytes;
  how.by = names_of_keys(*r.x[0].table);
  how.columns = r.x[0].table->folded;
  return how;
}

Grouped group_files(const Query& asked, const std::vector<std::string>& files,
                    const InputOptions& input, const Progress& progress, const Limits& limits,
                    Notes* notes, const GroupOrder& order) {
  // Before anything is opened.
  static_cast<void>(group_plan(asked, input.dtype.value_or(DType::f64), elements_by(input)));
  Grouped grouped;
  if (names_arrays(input.by)) {
    grouped = group_arrays(asked, files, input, progress, limits);
    if (answers_here(input.peers) && !order.later) sort_groups(grouped, order);
    return grouped;
  }
  OpenFiles r = open_keyed_tables(asked, files, input);
  const Query query = as_spelt(asked, r, input);
  Notes unheard;
  Notes& said = notes == nullptr ? unheard : *notes;
  const std::vector<TablePart> tables = tables_of(r);
  const Table& first = *tables[0].table;
  const bool one_kind = first.spelt().has_value() || asked.two_arrays();
  Meter meter(progress, one_kind ? r.bytes() : 2 * r.bytes());
  const auto fold = [&](const Query& own, const std::vector<TablePart>& some, Notes& heard) {
    return group_tables(own, some, r.dtype(), input, limits, order.as_met, meter, heard);
  };
  if (query.two_arrays()) check_two_columns(query, *tables[0].file, first.folded.size());
  if (order.asked()) {
    const auto ops = order.shown.empty() ? comma_list(asked.names()) : order.shown;
    check_order(order, names_of_keys(first), answered_columns(query, first), ops);
  }
  if (one_kind) {
    grouped = fold(query, tables, said);
  } else {
    Answers answers =
        fold_kinds(query, tables, said,
                   [&](const Query& own, const std::vector<TablePart>& some, Notes& heard) {
                     grouped = fold(own, some, heard);  // both parts have the same keys
                     return grouped.answers;
                   });
    grouped.answers = std::move(answers);
    grouped.columns = first.folded;
  }
  r.check_end();
  if (answers_here(input.peers) && !order.later) sort_groups(grouped, order);
  return grouped;
}

GroupStates gather_groups(const Query& asked, const std::vector<std::string>& files,
                          const InputOptions& input, const Progress& progress, const Limits& limits,
                          Notes& notes) {
  if (names_arrays(input.by)) {
    throw Error(
        ErrorCode::unsupported,
        "gather --by needs a table, but --by names an array file; save the data as a table");
  }
  for (const OpRow* op : asked.ops) {
    if (!op->about->uses_index) continue;
    throw Error(ErrorCode::bad_option, std::string(op->name) +
                                           " returns an index, which states of groups do not keep; "
                                           "reduce all files in one command instead");
  }
  // The number of elements of a group is in the words of its state.
  std::vector<const OpRow*> ops = asked.ops;
  if (std::ranges::none_of(ops, [](const OpRow* op) { return op->name == std::string("count"); })) {
    ops.push_back(Query("count", {}).ops[0]);
  }
  const Query counted(ops, asked.options);
  static_cast<void>(group_plan(counted, DType::f64));  // before anything is opened
  OpenFiles r = open_keyed_tables(counted, files, input);
  const Query query = as_spelt(counted, r, input);
  const std::vector<TablePart> tables = tables_of(r);
  const Table& first = *tables[0].table;
  if (!first.spelt().has_value()) {
    tables[0].file->fail(ErrorCode::unsupported,
                         "some of its columns are decimals and others are not; gather each kind "
                         "separately, with --columns");
  }
  Meter meter(progress, r.bytes());
  GroupFold fold(query, first, r.dtype(), limits, {}, false);
  fold_share(fold, tables, tables, integers_of(query, input), meter, notes);
  fold.meet(nullptr);
  r.check_end();
  const std::vector<Size> kept = kept_columns(*tables[0].file, first, notes);
  GroupStates groups{.by = names_of_keys(first), .columns = {}};
  for (const Size c : kept) groups.columns.push_back(first.folded[c]);
  for (const std::size_t k : first.by) groups.stored.push_back(first.columns[k].stored);
  groups.spelt = text_of(first) != nullptr;
  fold.keep(groups, kept);
  return groups;
}

}  // namespace onefold::io
