#include "onefold/tables/end_values.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "onefold/engine/group/keys.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/table_fields.hpp"
#include "onefold/io/table_rows.hpp"
#include "onefold/system/parallel.hpp"
#include "onefold/tables/group_order.hpp"
#include "onefold/tables/keyed_states.hpp"
#include "onefold/tables/said.hpp"

namespace onefold::io {
namespace {

// The values of the first and the last row of a group that have one.
struct Ends {
  Size first_row = none, last_row = 0;
  std::string first, last;
  bool any() const { return first_row != none; }
  void add(const Ends& other) {
    if (!other.any()) return;
    if (!any() || other.last_row > last_row) last = other.last, last_row = other.last_row;
    if (!any() || other.first_row < first_row) first = other.first, first_row = other.first_row;
  }
};
using EndsByKey = std::unordered_map<std::string, Ends>;

bool is_nan_token(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text.size() == 3 && (text[0] | 32) == 'n' && (text[1] | 32) == 'a' &&
         (text[2] | 32) == 'n';
}

class EndFold {
 public:
  EndFold(const FileRequest& asked, bool numbers, const Limits& limits, const OpenFiles& files)
      : asked_(asked),
        limits_(limits),
        first_part_(tables_of(files)[0]),
        first_(*first_part_.table),
        parts_(first_.by.size()),
        only_numbers_(numbers && asked.input.others_are_missing),
        nan_(numbers ? asked.fold.nan : NanPolicy::propagate),
        threads_(asked.fold.threads > 0 ? asked.fold.threads : default_threads()) {}

  void fold(const TablePart& part, Meter& meter, Notes& notes) {
    check_keyed_table(first_part_, part);
    const File::Use use(*part.file);
    const auto reader =
        open_rows(*part.file, *part.table, DType::f64, Integers::rounded, limits_.text_chunk_bytes);
    Size n = 0, pieces = 0;
    const auto rows = [&](Size k, const RowReader::Rows& r) { add(*part.file, pieces_ + k, r); };
    const auto done = [&](Size, Size some) { n += some, ++pieces; };
    for (Size bytes = 0; reader->next(limits_.text_chunks(threads_), threads_, rows, done);) {
      meter.add(reader->bytes_done() - bytes);
      bytes = reader->bytes_done();
      pieces_ += std::exchange(pieces, 0);
    }
    note_reading(*part.file, *part.table, *reader, n, notes);
  }

  Grouped finish(const std::vector<std::string>& ops, Notes& notes) {
    notes.folded = first_.folded;
    notes.missing = {missing_};
    Grouped r = named_groups(first_);
    r.by.pop_back(), r.stored.pop_back(), r.types.resize(r.nulls ? r.by.size() : 0);
    r.columns = first_.folded;
    if (parts_ == 1) ends_[""];
    for (const auto& [key, ends] : ends_) r.keys.push_back(key);
    if (parts_ > 1) {
      const std::vector<std::string> met = std::move(r.keys);
      r.keys.clear();
      for (const uint32_t g : order_of_keys(met.size(), parts_ - 1, r.nulls,
                                            [&](Size k) -> std::string_view { return met[k]; })) {
        r.keys.push_back(met[g]);
      }
    }
    r.texts.push_back(sorted_texts());
    std::unordered_map<std::string_view, int64_t> places;
    for (const std::string& text : r.texts[0]) {
      places.emplace(text, static_cast<int64_t>(places.size()));
    }
    for (const std::string& op : ops) {
      Answer a{.op = op,
               .dtype = DType::i64,
               .shape = Dims(static_cast<int64_t>(r.keys.size()), 1),
               .data = std::vector<std::byte>(r.keys.size() * sizeof(int64_t)),
               .status = {}};
      auto* const to = reinterpret_cast<int64_t*>(a.data.data());
      for (const std::string& key : r.keys) {
        const Ends& ends = ends_.at(key);
        if (ends.any()) to[a.status.size()] = places.at(op == "first" ? ends.first : ends.last);
        a.status.push_back(ends.any() ? Status::ok : Status::empty_input);
      }
      r.answers.list.push_back(std::move(a));
      r.of_text.push_back(true);
    }
    return r;
  }

 private:
  void add(const File& file, Size piece, const RowReader::Rows& r) {
    const bool nulls = first_.source != nullptr, spelt = text_of(first_) != nullptr;
    Keys keys;
    std::vector<Ends> found;  // of each key
    Size missing = 0;
    std::string joined;
    for (Size i = 0; i < r.n; ++i) {
      joined.clear();
      r.keys.append(i, joined);
      const std::string_view own = first_parts_of_key(joined, parts_, parts_ - 1);
      const Size key = keys.find(own, Keys::hash_of(own));
      found.resize(keys.size());
      Ends& ends = found[key];
      const std::string_view text = part_of_key(joined, parts_, parts_ - 1);
      if ((nulls && text == null_key) || (spelt && is_missing(text, asked_.input.missing)) ||
          (only_numbers_ && !is_number(std::string(text), first_))) {
        ++missing;
        continue;
      }
      if (nan_ != NanPolicy::propagate && is_nan_token(text)) {
        if (nan_ == NanPolicy::omit) continue;
        file.fail(
            ErrorCode::nan_found,
            "column " + first_.folded[0] +
                " contains NaN, and --nan raise was given; to leave NaN out, pass --nan omit");
      }
      const Size row = piece << 32 | i;
      if (!ends.any()) ends.first = text, ends.first_row = row;
      ends.last = text, ends.last_row = row;
    }
    const std::lock_guard lock(mutex_);
    missing_ += missing;
    for (Size k = 0; k < found.size(); ++k) {
      const std::string key(keys[k]);
      const Ends& ends = found[k];
      const auto [all, is_new] = ends_.emplace(key, ends);
      if (!is_new) all->second.add(ends);
      if (is_new) bytes_ += 150 + key.size() + ends.first.size() + ends.last.size();
    }
    check_groups_memory(ends_.size(), bytes_, file, limits_);
  }

  // Returns the different values, by number if all of them are numbers, else by bytes.
  std::vector<std::string> sorted_texts() const {
    std::vector<std::string> texts;
    for (const auto& [key, ends] : ends_) {
      if (ends.any()) texts.push_back(ends.first), texts.push_back(ends.last);
    }
    std::ranges::sort(texts);
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    const PartOrder by_value(texts.size(), false,
                             [&](Size k) -> std::string_view { return texts[k]; });
    std::vector<Size> order(texts.size());
    std::iota(order.begin(), order.end(), Size{0});
    std::ranges::stable_sort(order, [&](Size a, Size b) { return by_value.compare(a, b) < 0; });
    std::vector<std::string> sorted;
    for (const Size k : order) sorted.push_back(std::move(texts[k]));
    return sorted;
  }

  const FileRequest& asked_;
  const Limits& limits_;
  TablePart first_part_;
  const Table& first_;
  std::size_t parts_;  // of the keys of rows, of which the last is the value
  bool only_numbers_;
  NanPolicy nan_;  // of numbers
  int threads_;
  std::mutex mutex_;
  EndsByKey ends_;
  Size pieces_ = 0, missing_ = 0, bytes_ = 0;
};

}  // namespace

Grouped fold_ends(const std::vector<std::string>& ops, bool numbers,
                  const std::vector<std::string>& files, const FileRequest& asked,
                  const Progress& progress, Notes& notes) {
  FileRequest own = asked;
  own.input.by += (own.input.by.empty() ? "" : ",") + own.input.columns;
  const Limits limits = limits_of(own, files);
  OpenFiles opened = open_keyed_tables(Query("count", {}), files, own.input);
  Meter meter(progress, opened.bytes());
  EndFold fold(own, numbers, limits, opened);
  for (const TablePart& part : tables_of(opened)) fold.fold(part, meter, notes);
  opened.check_end();
  Grouped r = fold.finish(ops, notes);
  if (!asked.fold.empty_nan && !asked.describes)
    check_statuses(r.answers, asked.fold, group_text(r));
  return r;
}

}  // namespace onefold::io
