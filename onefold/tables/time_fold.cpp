#include "onefold/tables/time_fold.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <unordered_map>

#include "onefold/engine/group/keys.hpp"
#include "onefold/io/date_format.hpp"
#include "onefold/io/name_list.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/io/time_text.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/group_order.hpp"
#include "onefold/tables/keyed_states.hpp"
#include "onefold/tables/met_ranks.hpp"
#include "onefold/tables/open_files.hpp"
#include "onefold/tables/rank_shares.hpp"
#include "onefold/tables/said.hpp"
#include "onefold/tables/table_fold.hpp"

namespace onefold::io {
namespace {

// The count, sum and extremes of a group's times.
struct Total {
  Size count = 0;
  Int128 min = 0, max = 0, sum = 0;

  void add(const Total& other) {
    if (other.count == 0) return;
    min = count == 0 ? other.min : std::min(min, other.min);
    max = count == 0 ? other.max : std::max(max, other.max);
    count += other.count;
    sum += other.sum;
  }
};
using TotalsByGroup = std::unordered_map<std::string, std::vector<Total>>;

enum class TimeOp : uint8_t { count, max, mean, min, ptp, sum };
constexpr std::pair<std::string_view, TimeOp> time_ops_by_name[] = {
    {"count", TimeOp::count}, {"max", TimeOp::max}, {"mean", TimeOp::mean},
    {"min", TimeOp::min},     {"ptp", TimeOp::ptp}, {"sum", TimeOp::sum}};

const std::pair<std::string_view, TimeOp>* find_op(const OpRow& row) {
  const auto* const found = std::ranges::find(time_ops_by_name, std::string_view(row.name),
                                              &std::pair<std::string_view, TimeOp>::first);
  return found == std::end(time_ops_by_name) ? nullptr : found;
}

// sum / n, to nearest, halves to even.
Int128 rounded(Int128 sum, Size n) {
  const auto by = static_cast<Int128>(n);
  Int128 down = sum / by, rest = sum % by;
  if (rest < 0) rest += by, --down;
  const bool up = 2 * rest > by || (2 * rest == by && down % 2 != 0);
  return up ? down + 1 : down;
}

// The kind of a column's times, and whether some have a time zone.
struct ColumnKind {
  std::optional<TimeKind> kind = {};
  bool zoned = false, local = false;
};

bool is_calendar(TimeKind kind) { return kind <= TimeKind::timestamp; }

Time answer_of(TimeOp op, const Total& t, const ColumnKind& seen) {
  const TimeKind kind = seen.kind.value_or(TimeKind::date);
  Time time{.kind = kind, .zoned = seen.zoned};
  const bool span = op == TimeOp::ptp && is_calendar(kind);
  if (span) time.kind = TimeKind::duration;
  if (op == TimeOp::mean && kind == TimeKind::date) time.kind = TimeKind::timestamp;
  time.ns = op == TimeOp::max    ? t.max
            : op == TimeOp::min  ? t.min
            : op == TimeOp::ptp  ? t.max - t.min
            : op == TimeOp::mean ? rounded(t.sum, t.count)
                                 : t.sum;
  return time;
}

class TimeFold {
 public:
  //   by       the columns of keys; `asked` has those of times behind them
  //   repeats  the last column of keys says how many times a row counts
  TimeFold(const FileRequest& asked, const std::string& by, bool repeats, const Limits& limits,
           const OpenFiles& files)
      : asked_(asked),
        repeats_(repeats),
        limits_(limits),
        first_(*files.x[0].table),
        parts_(first_.by.size()),
        width_(first_.folded.size()),
        seen_(width_) {
    threads_ = asked.fold.threads > 0 ? asked.fold.threads : default_threads();
    keys_ = by.empty() ? 0 : columns_of(*files.x[0].file, by, first_).size();
    if (parts_ != keys_ + width_ + (repeats ? 1 : 0)) {
      files.x[0].file->fail(ErrorCode::bad_option, std::string("a column is listed twice in ") +
                                                       (repeats ? "--columns, --by and --fweights"
                                                                : "--columns and --by") +
                                                       "; leave one of them out");
    }
  }

  void fold(const TablePart& part, Meter& meter, Notes& notes) {
    const Table& table = *part.table;
    if (table.folded != first_.folded || table.by.size() != parts_) {
      refuse_other_columns(*part.file);
    }
    const File::Use use(*part.file);
    const auto reader =
        open_rows(*part.file, table, DType::f64, Integers::rounded, limits_.text_chunk_bytes);
    const bool nulls = table.source != nullptr;
    const bool spelt = text_of(table) != nullptr;
    const auto rows = [&](Size, const RowReader::Rows& r) { add(*part.file, r, nulls, spelt); };
    Size n = 0;
    const auto done = [&](Size, Size some) { n += some; };
    for (Size bytes = 0; reader->next(limits_.text_chunks(threads_), threads_, rows, done);) {
      meter.add(reader->bytes_done() - bytes);
      bytes = reader->bytes_done();
    }
    note_reading(*part.file, table, *reader, n, notes);
    // The reader counts missing numbers; here missing times are to be counted.
    notes.missing = missing_;
    refuse_missing();
  }

  int threads() const { return threads_; }

  // Sends the states of this rank to the first rank.
  void meet_ranks(const File& file, Peers& peers) {
    std::vector<std::byte> mine;
    if (!peers.first()) {
      append(mine, seen_.data(), seen_.size() * sizeof(ColumnKind));
      for (const auto& [key, group] : totals_) {
        append_text(mine, key);
        append(mine, group.data(), group.size() * sizeof(Total));
      }
    }
    const Peers::Bytes all = peers.gather(mine, false);
    if (!peers.first()) return;
    for (std::size_t r = 1; r < peers.ranks(); ++r) {
      auto bytes = all[r];
      std::vector<ColumnKind> seen(width_);
      const auto facts = take(bytes, width_ * sizeof(ColumnKind));
      std::memcpy(static_cast<void*>(seen.data()), facts.data(), facts.size());
      for (Size c = 0; c < width_; ++c) {
        if (seen[c].kind) meet(file, c, seen_[c], seen[c]);
      }
      while (!bytes.empty()) {
        const std::string key(take_text(bytes));
        const auto totals = take(bytes, width_ * sizeof(Total));
        std::vector<Total> theirs(width_);
        std::memcpy(static_cast<void*>(theirs.data()), totals.data(), totals.size());
        std::vector<Total>& ours = totals_[key];
        ours.resize(width_);
        for (Size c = 0; c < width_; ++c) ours[c].add(theirs[c]);
      }
    }
  }

  Grouped finish(const Query& query) {
    Grouped r;
    if (keys_ == 0) totals_[""].resize(width_);
    std::vector<std::string> keys;
    for (const auto& [key, total] : totals_) keys.push_back(key);
    sort_keys(keys);
    const auto keys_end = first_.by.begin() + static_cast<std::ptrdiff_t>(keys_);
    r.by = labels_of(first_, {first_.by.begin(), keys_end});
    for (Size c = 0; c < keys_; ++c) r.stored.push_back(first_.columns[first_.by[c]].stored);
    r.columns = first_.folded;
    r.keys = keys;
    r.nulls = first_.source != nullptr;
    r.spelt = text_of(first_) != nullptr;
    r.texts.resize(width_);
    r.times.resize(width_);
    if (first_.source != nullptr) r.types = types_of_keys(r.stored);
    for (const OpRow* row : query.ops) add_answers(*row, r);
    return r;
  }

 private:
  void add(const File& file, const RowReader::Rows& r, bool nulls, bool spelt) {
    Keys found;
    std::vector<Total> totals;  // width_ for each key
    std::vector<ColumnKind> seen(width_);
    std::vector<Size> missing(width_);
    std::string joined;
    for (Size i = 0; i < r.n; ++i) {
      joined.clear();
      r.keys.append(i, joined);
      const auto part = [&](std::size_t k) { return part_of_key(joined, parts_, k); };
      const Size times =
          !repeats_ ? 1
                    : times_of_row(part(parts_ - 1), nulls, first_.columns[first_.by.back()].name)
                          .value_or(0);
      if (times == 0) continue;
      check_count(times);
      const std::string_view own = first_parts_of_key(joined, parts_, keys_);
      const Size first = found.find(own, Keys::hash_of(own)) * width_;
      totals.resize(found.size() * width_);
      for (Size c = 0; c < width_; ++c) {
        const std::string_view text = part(keys_ + c);
        if ((nulls && text == null_key) || (spelt && is_missing(text, asked_.input.missing))) {
          ++missing[c];
          continue;
        }
        const std::optional<Time> time = parse_time(text);
        if (!time && asked_.input.others_are_missing) {
          ++missing[c];
          continue;
        }
        if (!time) refuse(file, c, text);
        meet(file, c, seen[c], {time->kind, time->zoned, !time->zoned});
        Total& total = totals[first + c];
        total.add({times, time->ns, time->ns, time->ns * static_cast<Int128>(times)});
        check_count(total.count);
      }
    }
    const std::lock_guard lock(mutex_);
    add_to(missing_, missing);
    for (Size c = 0; c < width_; ++c) {
      if (seen[c].kind) meet(file, c, seen_[c], seen[c]);
    }
    for (Size k = 0; k < found.size(); ++k) {
      std::vector<Total>& all = totals_[std::string(found[k])];
      if (all.empty()) bytes_ += 100 + found[k].size() + width_ * sizeof(Total);
      all.resize(width_);
      for (Size c = 0; c < width_; ++c) {
        all[c].add(totals[k * width_ + c]);
        check_count(all[c].count);
      }
    }
    check_groups_memory(totals_.size(), bytes_, file, limits_);
  }

  // Checks that a sum fits: fewer than 2^57 times do, since each is less than 2^68 ns (years up to
  // 9999).
  static void check_count(Size count) {
    if (count >> 57 == 0) return;
    throw Error(ErrorCode::overflow,
                "the counts of --fweights add up to 2^57 or more; reduce fewer rows at once");
  }

  // Refuses a policy by which missing values would be NaN: a missing time can only be left out.
  void refuse_missing() const {
    if (!asked_.input.missing_is_nan || asked_.fold.nan == NanPolicy::omit) return;
    for (Size c = 0; c < missing_.size(); ++c) {
      if (missing_[c] == 0) continue;
      const bool raise = asked_.fold.nan == NanPolicy::raise;
      throw Error(raise ? ErrorCode::nan_found : ErrorCode::bad_option,
                  "column " + first_.folded[c] + ": " + std::to_string(missing_[c]) +
                      (missing_[c] == 1 ? " time is" : " times are") + " missing, and --nan " +
                      name_of(asked_.fold.nan) + " was given; to leave them out, pass --nan omit");
    }
  }

  [[noreturn]] void refuse(const File& file, Size c, std::string_view text) const {
    file.fail(ErrorCode::bad_token,
              "column " + first_.folded[c] + ": " +
                  quote({text.data(), text.data() + text.size()}) +
                  " is not a date, time or duration such as 2024-05-31, 2024-05-31 12:30:59.25, "
                  "12:30:59 or 3 days 12:30:59" +
                  date_hint_for(text) + epoch_hint_for(text));
  }

  void meet(const File& file, Size c, ColumnKind& all, const ColumnKind& some) const {
    const std::optional<TimeKind> kind = all.kind ? common(*all.kind, *some.kind) : some.kind;
    if (!kind) {
      file.fail(ErrorCode::bad_token, "column " + first_.folded[c] + " has " + name_of(*all.kind) +
                                          "s and " + name_of(*some.kind) +
                                          "s, which cannot be compared; reduce them separately");
    }
    all = {kind, all.zoned || some.zoned, all.local || some.local};
    if (!all.zoned || !all.local) return;
    file.fail(ErrorCode::bad_token, "column " + first_.folded[c] +
                                        " has times with a time zone and times without one, which "
                                        "cannot be compared; convert them to one form");
  }

  void sort_keys(std::vector<std::string>& keys) const {
    if (keys_ == 0) return;
    std::vector<std::string> sorted;
    for (const uint32_t g : order_of_keys(keys.size(), keys_, first_.source != nullptr,
                                          [&](Size k) -> std::string_view { return keys[k]; })) {
      sorted.push_back(std::move(keys[g]));
    }
    keys = std::move(sorted);
  }

  // Adds the answers of an op: counts, or positions among the column's texts, which ascend like the
  // times.
  void add_answers(const OpRow& row, Grouped& r) {
    const TimeOp op = find_op(row)->second;
    const Size groups = r.keys.size();
    Answer a{.op = row.name,
             .dtype = DType::i64,
             .shape = Dims(static_cast<int64_t>(groups), static_cast<int64_t>(width_)),
             .data = std::vector<std::byte>(groups * width_ * sizeof(int64_t)),
             .status = std::vector<Status>(groups * width_, Status::ok)};
    auto* const values = reinterpret_cast<int64_t*>(a.data.data());
    for (Size c = 0; c < width_; ++c) {
      if (op == TimeOp::sum && seen_[c].kind && is_calendar(*seen_[c].kind)) {
        throw Error(ErrorCode::bad_option, std::string("sum: column ") + first_.folded[c] +
                                               " holds " + name_of(*seen_[c].kind) +
                                               "s, which cannot be added; for their range use ptp");
      }
      std::map<Int128, int64_t> places;
      for (Size g = 0; g < groups; ++g) {
        const Total& t = totals_[r.keys[g]][c];
        const Size at = g * width_ + c;
        if (op == TimeOp::count) {
          values[at] = static_cast<int64_t>(t.count);
        } else if (t.count == 0 && (op != TimeOp::sum || !seen_[c].kind)) {
          a.status[at] = Status::empty_input;
        } else {
          places[answer_of(op, t, seen_[c]).ns] = 0;
        }
      }
      for (auto& [ns, place] : places) {
        Time time = answer_of(op, {.count = 1}, seen_[c]);
        time.ns = ns;
        place = static_cast<int64_t>(r.texts[c].size());
        r.texts[c].push_back(text_of(time));
        r.times[c].push_back(time);
      }
      for (Size g = 0; g < groups && op != TimeOp::count; ++g) {
        const Size at = g * width_ + c;
        if (a.status[at] != Status::ok) continue;
        values[at] = places[answer_of(op, totals_[r.keys[g]][c], seen_[c]).ns];
      }
    }
    r.answers.list.push_back(std::move(a));
    r.of_text.push_back(op != TimeOp::count);
  }

  const FileRequest& asked_;
  bool repeats_;
  const Limits& limits_;
  const Table& first_;
  // Number of parts of keys including the times; number of parts of groups' keys; number of times
  // columns
  Size parts_, keys_ = 0, width_;
  int threads_ = 1;
  std::mutex mutex_;
  TotalsByGroup totals_;
  std::vector<ColumnKind> seen_;
  std::vector<Size> missing_;
  Size bytes_ = 0;
};

}  // namespace

bool folds_times(const OpRow& op) { return find_op(op) != nullptr; }

Grouped fold_times(const Query& query, const std::vector<std::string>& files,
                   const FileRequest& asked, const Progress& progress, Notes& notes) {
  for (const OpRow* op : query.ops) {
    if (folds_times(*op)) continue;
    throw Error(ErrorCode::bad_option, std::string(op->name) +
                                           " does not apply to columns of times; use count, max, "
                                           "mean, min or ptp (sum only for durations)");
  }
  if (asked.input.by.empty()) refuse_order(asked.order);
  refuse_beside("columns of times do not support weights",
                asked.weights.empty() ? nullptr : "--weights");
  check_groups(asked);
  refuse_beside("groups of times are listed in the order of their keys",
                asked.order.as_met ? "--no-sort" : nullptr);
  refuse_options_of_numbers("columns of times are reduced on the CPU, in nanoseconds", asked);
  const bool repeats = repeats_rows(asked);
  FileRequest own = asked;
  own.input.by += (own.input.by.empty() ? "" : ",") + own.input.columns;
  if (repeats) own.input.by += "," + asked.fweights;
  Limits limits = limits_of(own, files);
  OpenFiles opened = open_files(Query("count", {}), files, own.input);
  Meter meter(progress, opened.bytes());
  TimeFold fold(own, asked.input.by, repeats, limits, opened);
  const std::vector<TablePart> tables = tables_of(opened);
  Peers* const peers = asked.input.peers;
  for (const TablePart& part : share_tables(peers, tables, fold.threads())) {
    fold.fold(part, meter, notes);
  }
  opened.check_end();
  if (peers != nullptr) fold.meet_ranks(*opened.x[0].file, *peers);
  meet(peers, notes);
  if (!answers_here(peers)) return {};
  Grouped r = fold.finish(query);
  notes.folded = r.columns;
  if (!asked.fold.empty_nan && !asked.describes)
    check_statuses(r.answers, asked.fold, group_text(r));
  if (asked.order.asked()) sort_groups(r, asked.order);
  return r;
}

}  // namespace onefold::io
