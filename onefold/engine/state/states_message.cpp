// Sends states of many slices through an engine.
#include <algorithm>
#include <atomic>

#include "onefold/engine/plan/merge_kind.hpp"
#include "onefold/engine/state/message_parts.hpp"
#include "onefold/engine/state/states.hpp"
#include "onefold/message.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace {

constexpr Size bits = 64;

bool has(std::span<const uint64_t> held, std::size_t word) {
  return (held[word / bits] >> word % bits & 1) != 0;
}

// Calls f(row, first word) for each accumulator that is not additive.
template <class F>
void for_each_chosen(const State::Impl& kind, F f) {
  for_each_held(kind.layout, kind.dtype, [&](const AccumulatorRow& row, std::size_t at) {
    if (!row.additive) f(row, static_cast<int>(at));
  });
}

// The words of a row that all ranks get from all ranks, if the engine can only add.
std::vector<Size> carried_slots(const State::Impl& kind, const std::vector<int>& used) {
  std::vector<Size> slots;
  for_each_chosen(kind, [&](const AccumulatorRow& row, int at) {
    const auto first = static_cast<Size>(std::find(used.begin(), used.end(), at) - used.begin());
    for (Size k = 0; k < static_cast<Size>(row.words); ++k) slots.push_back(first + k);
  });
  return slots;
}
std::vector<Size> added_slots(const State::Impl& kind, const std::vector<int>& used) {
  const std::vector<Size> carried = carried_slots(kind, used);
  std::vector<Size> slots;
  for (Size k = 0; k < used.size(); ++k) {
    if (std::find(carried.begin(), carried.end(), k) == carried.end()) slots.push_back(k);
  }
  return slots;
}

// The words of each row that are in `slots`.
std::vector<int64_t> columns_of(const std::vector<int64_t>& rows, Size each,
                                const std::vector<Size>& slots) {
  std::vector<int64_t> some;
  some.reserve(rows.size() / each * slots.size());
  for (Size at = 0; at < rows.size(); at += each) {
    for (const Size k : slots) some.push_back(rows[at + k]);
  }
  return some;
}

// Joins the last two words of each row, which are sums of counts' halves, to one count.
void join_counts(std::vector<int64_t>& rows, Size each) {
  const Size n = rows.size() / each;
  for (Size i = 0; i < n; ++i) {
    const int64_t* const from = &rows[i * each];
    const Size count = count_of(from[each - 2], from[each - 1]);
    std::copy_n(from, each - 2, &rows[i * (each - 1)]);
    rows[(i + 1) * (each - 1) - 1] = static_cast<int64_t>(count);
  }
  rows.resize(n * (each - 1));
}

// Propagates carries in the summed rows, and refuses words that no states give.
void carry_and_check(States::Impl& states) {
  StateTable& slices = states.slices;
  const Size n = slices.size();
  // A slice takes 6 to 16 ns, and ranks often share cores: threads of several ranks that wait for
  // each other cost more than they save.
  const int threads = n < 65536 ? 1 : 0;
  for (std::atomic<uint64_t> above = 1; above != 0;) {
    above = 0;
    const RowShape shape = slices.shape();
    parallel((n + slices_a_task - 1) / slices_a_task, threads, [&](std::size_t task) {
      const Size first = task * slices_a_task, some = std::min(n - first, slices_a_task);
      const uint64_t mine = slices.carry(shape, first, some);
      above |= mine;
      if (mine != 0) return;
      check_slices(states, shape, first, some, static_cast<Size>(int64_max),
                   [](const std::string& why) { bad_message(why.c_str()); });
    });
    if (above != 0) slices.hold_above(shape, above);
  }
}

}  // namespace

StatesMessage::StatesMessage(States states) : states_(std::move(states)) {
  const States::Impl& s = states_.held();
  if (s.kind.holds.empty()) return;
  kind_ = merge_kind(s.kind.dtype, s.kind.holds, s.kind.nan, s.kind.indexed, s.shape);
  const auto count = static_cast<std::size_t>(s.kind.layout.words);
  held_.resize((count + 1) / bits + 1);
  const auto hold_word = [&](std::size_t w) { held_[w / bits] |= uint64_t{1} << w % bits; };
  for (const int w : s.slices.used()) hold_word(static_cast<std::size_t>(w));
  if (s.kind.count >> 32 != 0) hold_word(count + 1);
  if (s.kind.indexed) put_ranges(ranges_, s.kind.ranges);
  hold(std::vector<uint64_t>(held_));
}

void StatesMessage::hold(std::span<const uint64_t> held) {
  bool wider = held.size() == held_.size();
  for (std::size_t k = 0; wider && k < held.size(); ++k) wider = (held_[k] & ~held[k]) == 0;
  if (!wider) bad_message("the ranks keep different words of their states");
  held_.assign(held.begin(), held.end());
  added_.clear(), carried_.clear();
  if (kind_ == 0) return;
  const State::Impl& kind = states_.held().kind;
  used_.clear();
  for (int w = 0; w <= kind.layout.words + 1; ++w) {
    if (has(held_, static_cast<std::size_t>(w))) used_.push_back(w);
  }
  merge_ = std::make_shared<const RowMerge>(kind.dtype, kind.layout, used_);
}

bool StatesMessage::adds() const { return merge_ == nullptr || merge_->adds(); }

void StatesMessage::merge(int64_t* into, const int64_t* from, Size n) const {
  (*merge_)(into, from, n);
}

std::vector<int64_t> StatesMessage::rows() const {
  if (kind_ == 0) return {};
  const StateTable& slices = states_.held().slices;
  std::vector<int64_t> rows(size() * used_.size());
  slices.rows(used_, 0, size(), rows.data());
  if (!halves()) return rows;
  for (Size at = used_.size(); at <= rows.size(); at += used_.size()) {
    const auto count = static_cast<Size>(rows[at - 2]);
    rows[at - 2] = static_cast<int64_t>(count & 0xffffffff);
    rows[at - 1] = static_cast<int64_t>(count >> 32);
  }
  return rows;
}

std::vector<int64_t> StatesMessage::take_rows() {
  if (kind_ == 0) return {};
  added_.clear(), carried_.clear();
  StateTable& slices = states_.impl_->slices;
  return slices.used() == used_ ? slices.take_words() : rows();
}

bool StatesMessage::halves() const { return used_.back() > states_.held().kind.layout.words; }

std::span<const int64_t> StatesMessage::added() {
  if (added_.empty()) {
    added_ = rows();
    if (!adds()) {
      added_ = columns_of(added_, used_.size(), added_slots(states_.held().kind, used_));
    }
  }
  return added_;
}

std::span<const std::byte> StatesMessage::carried() {
  if (carried_.empty() && !adds()) {
    carried_ = columns_of(rows(), used_.size(), carried_slots(states_.held().kind, used_));
  }
  return std::as_bytes(std::span(carried_));
}

States StatesMessage::merged(Size first, std::span<const int64_t> sum,
                             std::span<const std::span<const std::byte>> carried,
                             std::span<const std::span<const std::byte>> ranges) const {
  if (kind_ == 0) return {};
  const State::Impl& kind = states_.held().kind;
  const std::vector<Size> added = added_slots(kind, used_), chosen = carried_slots(kind, used_);
  const Size each = used_.size(), n = sum.size() / added.size();
  if (sum.size() % added.size() != 0) bad_message("the sum was made from states of other slices");
  for (const auto bytes : carried) {
    if (bytes.size() != n * chosen.size() * sizeof(int64_t)) {
      bad_message("a rank sent bytes of other slices");
    }
  }
  std::vector<int64_t> nothing(static_cast<std::size_t>(kind.layout.words)), row(each, 0);
  clear(nothing.data(), kind.layout, kind.dtype);
  for (const Size k : chosen) row[k] = nothing[static_cast<std::size_t>(used_[k])];
  std::vector<int64_t> rows;
  rows.reserve(n * each);
  for (Size i = 0; i < n; ++i) {
    for (Size k = 0; k < added.size(); ++k) row[added[k]] = sum[i * added.size() + k];
    rows.insert(rows.end(), row.begin(), row.end());
  }
  std::vector<int64_t> other(chosen.empty() ? 0 : each);
  for (const auto bytes : carried) {
    auto rest = bytes;
    for (Size i = 0; i < n && !chosen.empty(); ++i) {
      for (const Size k : chosen) other[k] = static_cast<int64_t>(take(rest));
      merge(&rows[i * each], other.data(), 1);
    }
  }
  return merged_rows(first, std::move(rows), ranges);
}

States StatesMessage::merged_rows(Size first, std::vector<int64_t> rows,
                                  std::span<const std::span<const std::byte>> ranges) const {
  if (kind_ == 0) return {};
  const States::Impl& mine = states_.held();
  const Size n = rows.size() / used_.size();
  if (rows.size() % used_.size() != 0 || first > size() || n > size() - first) {
    bad_message("the sum was made from states of other slices");
  }
  const Dims shape = n == size() ? mine.shape : Dims(static_cast<int64_t>(n));
  auto all = std::make_unique<States::Impl>(States::Impl{
      .kind = mine.kind, .shape = shape, .slices = {mine.kind.dtype, mine.kind.layout, 0}});
  all->kind.ranges = {};
  for (auto bytes : ranges) {
    if (bytes.empty()) continue;
    if (mine.kind.indexed) unite_with(all->kind.ranges, bytes);
    if (!bytes.empty()) bad_message("a rank sent bytes that this kind of state does not have");
  }
  std::vector<int> used = used_;
  if (halves()) {
    join_counts(rows, used.size());
    used.pop_back();
  }
  all->slices.assign(used, std::move(rows));
  carry_and_check(*all);
  all->slices.trim();
  all->count_largest();
  return States(std::move(all));
}

}  // namespace onefold
