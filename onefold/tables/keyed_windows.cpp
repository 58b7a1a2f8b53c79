#include "onefold/tables/keyed_windows.hpp"

#include <algorithm>
#include <cstring>

#include "onefold/engine/request/folds.hpp"
#include "onefold/tables/nowhere.hpp"

namespace onefold::io {

struct KeyedWindows::Joined {
  struct Key {
    uint32_t number = 0;
    Size first = 0;        // position of its first row
    Size old = 0, n = 0;   // how many old rows, and rows in all
    Size next_window = 0;  // of its next new row
    Size end() const { return first + n; }
  };
  std::vector<Key> keys;
  Size n = 0;                                   // rows in all
  std::vector<Size> place;                      // of each new row, in the order of the batch
  std::vector<Size> window;                     // the number of its answer
  std::vector<std::vector<std::byte>> columns;  // values
  std::vector<std::vector<std::byte>> present;  // empty: all are
  std::vector<std::vector<DecimalTerm>> terms;  // the place is that of the row
  std::vector<Int128> times;
  std::vector<int64_t> begins, ends;  // of the windows; empty: the rule of a width answers all rows
};

namespace {

bool only_counts(const OpRow& op) { return std::string_view(op.name) == "count"; }

// Whether an op needs the sum of a text's decimals, and no f64.
bool sums_decimals(const Query& query, const OpRow& op) {
  return query.decimals && !query.two_arrays() &&
         op.about->needs == (Accumulator::sum | Accumulator::tally);
}

}  // namespace

Size RowWindows::least_of(const Query& query) const {
  const bool counts =
      std::ranges::all_of(query.ops, [](const OpRow* op) { return only_counts(*op); });
  return least.value_or(counts ? 0 : 1);
}

void RowWindows::count_none(const OpRow& op, Answer& answer) const {
  if (least || !only_counts(op)) return;
  for (Size i = 0; i < answer.size(); ++i) {
    if (answer.status[i] != Status::too_few) continue;
    answer.status[i] = Status::ok;
    std::memset(&answer.data[i * bytes_of(answer.dtype)], 0, bytes_of(answer.dtype));
  }
}

Windows RowWindows::rule(Size least_values) const {
  const Closed ends = closed.value_or(Closed());
  if (cumulative) return {.ahead = ends.right ? 0 : -1, .least = least_values};
  return {.width = width + (ends.left && ends.right ? 1 : 0) - (ends.left || ends.right ? 0 : 1),
          .ahead = ends.right ? 0 : -1,
          .least = least_values};
}

void RowWindows::check() const {
  const char* const fewer = width != 0 ? "--rolling" : !over.empty() ? "--over" : nullptr;
  if (cumulative && fewer != nullptr) {
    throw Error(ErrorCode::bad_option, std::string("--cumulative uses all earlier rows, but ") +
                                           fewer +
                                           " uses only the last ones; leave one of them out");
  }
  if (width == 0) return;
  const Size rows = rule(0).width;
  if (rows == 0) {
    throw Error(ErrorCode::bad_option,
                "--rolling 1 --closed neither leaves no row in a window; pass --rolling 2 or more");
  }
  if (!least || *least <= rows) return;
  throw Error(ErrorCode::bad_option, "--min-periods " + std::to_string(*least) +
                                         " is more than the window's " + std::to_string(rows) +
                                         " rows");
}

Size KeyedWindows::Tail::bytes() const {
  Size n = values.size() + present.size() + terms.size() * sizeof(DecimalTerm) +
           times.size() * sizeof(Int128);
  for (const std::vector<int64_t>& state : states) n += sizeof(state) + 8 * state.size();
  return n;
}

KeyedWindows::KeyedWindows(const Query& query, DType dtype, Size columns, const RowWindows& windows,
                           Int128 span)
    : query_(query.with(Axes())),
      dtype_(dtype),
      windows_(windows),
      columns_(columns),
      least_(windows.least_of(query)),
      rule_(windows.rule(least_)),
      closed_(windows.closed.value_or(RowWindows::Closed())),
      span_(span),
      pairs_(query.two_arrays()) {
  std::vector<const OpRow*> sums, others;
  for (const OpRow* op : query.ops) (sums_decimals(query, *op) ? sums : others).push_back(op);
  if (!sums.empty()) (parts_[0] = query_)->ops = sums;
  if (!others.empty()) (parts_[1] = query_)->ops = others;
  // Options that mean nothing are refused before there are rows.
  const ArrayRef none(nowhere, dtype, Dims(0));
  Joined all;
  all.terms.resize(1);
  none_ =
      fold_ops(none, pairs_ ? &none : nullptr,
               {.width = windows_.cumulative ? 0u : 1u, .least = least_}, query_.options, all, 0);
  for (Answer& a : none_.list) a.shape = Dims(0, static_cast<int64_t>(pairs_ ? 1 : columns));
}

Size KeyedWindows::first_fall(const RowBatch& batch) const {
  std::unordered_map<uint32_t, Int128> last;
  for (Size i = 0; i < batch.times.size(); ++i) {
    const uint32_t key = batch.keys.empty() ? 0 : batch.keys[i];
    const Tail& tail = tails_[key];
    const auto [at, is_new] =
        last.try_emplace(key, tail.n == 0 ? batch.times[i] : tail.times.back());
    if (batch.times[i] < at->second) return i;
    at->second = batch.times[i];
  }
  return batch.n;
}

void KeyedWindows::lay_out(const RowBatch& batch, Joined& all) const {
  std::vector<uint32_t> found;  // of each row, the key among those of the batch
  std::unordered_map<uint32_t, uint32_t> known;
  if (batch.keys.empty()) {
    all.keys.push_back({.old = tails_[0].n, .n = tails_[0].n + batch.n});
  } else {
    found.reserve(batch.n);
    for (const uint32_t key : batch.keys) {
      const auto [at, is_new] = known.try_emplace(key, static_cast<uint32_t>(all.keys.size()));
      if (is_new) all.keys.push_back({.number = key, .old = tails_[key].n, .n = tails_[key].n});
      ++all.keys[at->second].n;
      found.push_back(at->second);
    }
  }
  Size windows = 0;
  for (Joined::Key& key : all.keys) {
    key.first = all.n;
    key.next_window = windows;
    all.n += key.n;
    windows += key.n - key.old;
  }
  // One key whose old rows are few: a rule answers them again, which is quicker than a list.
  const bool by_rule =
      windows_.cumulative || (batch.keys.empty() && span_ == 0 && all.keys[0].old <= batch.n / 4);
  all.place.resize(batch.n);
  all.window.resize(batch.n);
  std::vector<Size> met(all.keys.size());
  for (Size i = 0; i < batch.n; ++i) {
    const Size k = found.empty() ? 0 : found[i];
    const Joined::Key& key = all.keys[k];
    all.place[i] = key.first + key.old + met[k];
    all.window[i] = by_rule ? all.place[i] : key.next_window + met[k];
    ++met[k];
  }
  if (!by_rule) all.ends.reserve(windows);
  if (span_ != 0) {
    all.times.resize(all.n);
    for (const Joined::Key& key : all.keys) {
      std::ranges::copy(tails_[key.number].times,
                        all.times.begin() + static_cast<std::ptrdiff_t>(key.first));
    }
    for (Size i = 0; i < batch.n; ++i) all.times[all.place[i]] = batch.times[i];
  }
  if (!by_rule) find_windows(all);
}

void KeyedWindows::find_windows(Joined& all) const {
  for (const Joined::Key& key : all.keys) {
    Size begin = key.first, end = key.first;
    for (Size at = key.first + key.old; at < key.end(); ++at) {
      if (closed_.right) {
        end = at + 1;
      } else if (span_ == 0) {
        end = at;
      } else {
        while (all.times[end] < all.times[at]) ++end;
      }
      if (span_ == 0) {
        begin = std::max(key.first, end - std::min(end, rule_.width));
      } else {
        const Int128 from = all.times[at] - span_;
        while (closed_.left ? all.times[begin] < from : all.times[begin] <= from) ++begin;
      }
      all.begins.push_back(static_cast<int64_t>(begin));
      all.ends.push_back(static_cast<int64_t>(end));
    }
  }
}

void KeyedWindows::fill_column(const RowBatch& batch, Size column, Joined& all) const {
  const Size each = bytes_of(dtype_);
  std::vector<std::byte>& values = all.columns.emplace_back(all.n * each);
  std::vector<std::byte>& present = all.present.emplace_back();
  std::vector<DecimalTerm>& terms = all.terms.emplace_back();
  const auto has_gaps = [&](const Joined::Key& k) { return !tails_[k.number].present.empty(); };
  if (!batch.present[column].empty() || std::ranges::any_of(all.keys, has_gaps)) {
    present.assign(all.n, std::byte{1});
  }
  for (const Joined::Key& key : all.keys) {
    const Tail& tail = tails_[key.number];
    if (tail.n == 0) continue;
    std::memcpy(&values[key.first * each], &tail.values[column * tail.n * each], tail.n * each);
    if (has_gaps(key)) std::memcpy(&present[key.first], &tail.present[column * tail.n], tail.n);
    for (DecimalTerm t : tail.terms) {
      if (t.place / tail.n != column) continue;
      t.place = key.first + t.place % tail.n;
      terms.push_back(t);
    }
  }
  const std::vector<std::byte>& from = batch.columns[column];
  if (batch.keys.empty()) {
    std::memcpy(values.data() + all.keys[0].old * each, from.data(), batch.n * each);
  } else {
    for (Size i = 0; i < batch.n; ++i) {
      std::memcpy(&values[all.place[i] * each], &from[i * each], each);
    }
  }
  for (Size i = 0; i < batch.present[column].size(); ++i) {
    present[all.place[i]] = batch.present[column][i];
  }
  for (DecimalTerm t : batch.terms[column]) {
    t.place = all.place[t.place];
    terms.push_back(t);
  }
  std::ranges::stable_sort(terms, {}, &DecimalTerm::place);
}

// Keeps the last rows of each key, which windows of later rows may have.
void KeyedWindows::keep_tails(Joined& all) {
  for (std::size_t k = 0; k < all.keys.size(); ++k) {
    const Joined::Key& key = all.keys[k];
    if (windows_.cumulative) {
      Tail& tail = tails_[key.number];
      tail.before += key.n;
      bytes_ += tail.bytes() - tail.counted;
      tail.counted = tail.bytes();
      continue;
    }
    Size first = key.end() - std::min(key.n, closed_.right ? rule_.width - 1 : rule_.width);
    if (span_ != 0) {
      const auto from = all.times.begin() + static_cast<std::ptrdiff_t>(key.first),
                 to = all.times.begin() + static_cast<std::ptrdiff_t>(key.end());
      const Int128 left = *(to - 1) - span_;
      first = static_cast<Size>(
          (closed_.left ? std::lower_bound(from, to, left) : std::upper_bound(from, to, left)) -
          all.times.begin());
    }
    Tail& tail = tails_[key.number];
    bytes_ -= tail.bytes();
    tail = {};
    keep_rows(all, k, first, tail);
    bytes_ += tail.bytes();
  }
}

void KeyedWindows::keep_rows(const Joined& all, std::size_t k, Size first, Tail& tail) const {
  const Size each = bytes_of(dtype_), end = all.keys[k].end();
  tail.n = end - first;
  if (tail.n == 0) return;
  if (span_ != 0) {
    tail.times.assign(all.times.begin() + static_cast<std::ptrdiff_t>(first),
                      all.times.begin() + static_cast<std::ptrdiff_t>(end));
  }
  tail.values.resize(columns_ * tail.n * each);
  const auto gaps = [&](const std::vector<std::byte>& present) {
    return !present.empty() && std::any_of(&present[first], &present[first] + tail.n,
                                           [](std::byte b) { return b == std::byte{0}; });
  };
  if (std::ranges::any_of(all.present, gaps)) tail.present.assign(columns_ * tail.n, std::byte{1});
  for (Size c = 0; c < columns_; ++c) {
    std::memcpy(&tail.values[c * tail.n * each], &all.columns[c][first * each], tail.n * each);
    if (!tail.present.empty() && !all.present[c].empty()) {
      std::memcpy(&tail.present[c * tail.n], &all.present[c][first], tail.n);
    }
    const std::vector<DecimalTerm>& terms = all.terms[c];
    for (auto t = std::ranges::lower_bound(terms, first, {}, &DecimalTerm::place);
         t != terms.end() && t->place < end; ++t) {
      tail.terms.push_back(*t);
      tail.terms.back().place = c * tail.n + (t->place - first);
    }
  }
}

// Returns the scans of keys. Of no rows: one that shows which options are refused.
std::vector<ScanSegment> KeyedWindows::segments_of(const Joined& all, Size column, Size part) {
  if (!windows_.cumulative) return {};
  if (all.keys.empty()) return std::vector<ScanSegment>(1);
  std::vector<ScanSegment> segments;
  for (const Joined::Key& key : all.keys) {
    Tail& tail = tails_[key.number];
    tail.states.resize(2 * columns_);
    segments.push_back({key.first, tail.before, &tail.states[2 * column + part]});
  }
  return segments;
}

Answers KeyedWindows::fold_ops(const ArrayRef& x, const ArrayRef* y, const Windows& windows,
                               const Options& options, const Joined& all, Size column) {
  const auto fold = [&](Size part) {
    if (!parts_[part]) return Answers();
    Query query = *parts_[part];
    query.options = options;
    return fold_windows(query, x, y, windows, all.terms[column], segments_of(all, column, part));
  };
  Answers sums = fold(0), others = fold(1), answers;
  auto sum = sums.list.begin(), other = others.list.begin();
  for (const OpRow* op : query_.ops) {
    answers.list.push_back(std::move(sums_decimals(query_, *op) ? *sum++ : *other++));
  }
  return answers;
}

Answers KeyedWindows::fold_column(const Joined& all, Size column) {
  const Dims shape(static_cast<int64_t>(all.n));
  const ArrayRef x(all.columns[column].data(), dtype_, shape);
  std::optional<ArrayRef> y;
  std::vector<std::byte> present = all.present[column];
  if (pairs_) {
    y = ArrayRef(all.columns[1].data(), dtype_, shape);
    const std::vector<std::byte>& other = all.present[1];
    if (present.empty()) present = other;
    for (Size i = 0; i < other.size(); ++i) present[i] &= other[i];
  }
  Options options = query_.options;
  if (!present.empty()) options.where = Mask(ArrayRef(present.data(), DType::boolean, shape));
  Windows windows = rule_;
  windows.width = std::min(windows.width, all.n);
  if (!all.ends.empty()) {
    const Dims count(static_cast<int64_t>(all.ends.size()));
    windows = {.begin = ArrayRef(all.begins.data(), DType::i64, count),
               .end = ArrayRef(all.ends.data(), DType::i64, count),
               .least = least_};
  }
  return fold_ops(x, y ? &*y : nullptr, windows, options, all, column);
}

// Puts a column's answers among those of all, in the order of the batch.
void KeyedWindows::put(const Answers& from, const Joined& all, Size column, Size width,
                       Answers& to) const {
  const Size rows = all.window.size();
  for (std::size_t k = 0; k < from.list.size(); ++k) {
    const Answer& a = from.list[k];
    const Size each = bytes_of(a.dtype);
    if (column == 0) {
      Answer& empty = to.list.emplace_back(
          Answer{.op = a.op,
                 .dtype = a.dtype,
                 .shape = Dims(static_cast<int64_t>(rows), static_cast<int64_t>(width)),
                 .data = {},
                 .status = {}});
      empty.data.resize(rows * width * each);
      empty.status.resize(rows * width);
    }
    Answer& of = to.list[k];
    for (Size i = 0; i < rows; ++i) {
      const Size at = i * width + column, w = all.window[i];
      of.status[at] = a.status[w];
      std::memcpy(&of.data[at * each], &a.data[w * each], each);
    }
  }
}

Answers KeyedWindows::fold(const RowBatch& batch) {
  Joined all;
  lay_out(batch, all);
  for (Size c = 0; c < columns_; ++c) fill_column(batch, c, all);
  Answers answers;
  const Size width = pairs_ ? 1 : columns_;
  for (Size c = 0; c < width; ++c) put(fold_column(all, c), all, c, width, answers);
  keep_tails(all);
  for (std::size_t k = 0; k < answers.list.size(); ++k) {
    windows_.count_none(*query_.ops[k], answers.list[k]);
  }
  return answers;
}

}  // namespace onefold::io
