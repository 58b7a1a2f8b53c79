#include "onefold/message.hpp"

#include <algorithm>

#include "onefold/engine/plan/merge_kind.hpp"
#include "onefold/engine/state/message_parts.hpp"

namespace onefold {
namespace {

// The most words of an accumulator whose words are not added, such as least.
constexpr int most_extreme_words = 8;
// Words of a row before its count.
constexpr Size free_words = 1;

// Shares of different files get different kinds, so that they are never merged. 0: no kind.
uint64_t kind_of(const State::Impl& s) {
  if (s.holds.empty()) return 0;
  return std::max(merge_kind(s.dtype, s.holds, s.nan, s.indexed) ^ s.whole.hash, uint64_t{1});
}

// Merges one rank's bytes: ranges and the words that are not sums.
void merge_carried(State::Impl& into, std::span<const std::byte> bytes) {
  unite_with(into.ranges, bytes);
  for_each_held(into.layout, into.dtype, [&](const AccumulatorRow& row, std::size_t at) {
    if (row.additive) return;
    int64_t words[most_extreme_words];  // on the stack, so that no allocation can fail
    if (row.words > most_extreme_words) bad_message("an accumulator has too many words");
    for (int k = 0; k < row.words; ++k) words[k] = static_cast<int64_t>(take(bytes));
    row.merge(into.words.data() + at, words);
  });
  if (!bytes.empty()) bad_message("a rank sent bytes that this kind of state does not have");
}

}  // namespace

Message::Message(State state) : state_(std::move(state)) {
  const State::Impl& s = state_.held();
  kind_ = kind_of(s);
  if (kind_ == 0) return;
  allocates_ = s.indexed;
  added_.reserve(count_words + static_cast<std::size_t>(s.layout.words));
  added_ = {static_cast<int64_t>(s.count & 0xffffffff), static_cast<int64_t>(s.count >> 32)};
  std::vector<std::byte> extremes;
  for_each_held(s.layout, s.dtype, [&](const AccumulatorRow& row, std::size_t at) {
    for (std::size_t k = at; k < at + static_cast<std::size_t>(row.words); ++k) {
      if (!row.additive) {
        put(extremes, static_cast<uint64_t>(s.words[k]));
      } else {
        added_.push_back(s.words[k]);
      }
    }
  });
  if (extremes.empty() && s.ranges.empty()) return;
  put_ranges(carried_, s.ranges);
  carried_.insert(carried_.end(), extremes.begin(), extremes.end());
}

State Message::merged(std::span<const int64_t> sum,
                      std::span<const std::span<const std::byte>> carried) const& {
  return Message(*this).merged(sum, carried);
}

State Message::merged(std::span<const int64_t> sum,
                      std::span<const std::span<const std::byte>> carried) && {
  if (sum.size() != added_.size()) bad_message("the sum was made from states of another kind");
  if (kind_ == 0) return {};
  State::Impl& all = *state_.impl_;
  all.count = count_of(sum[0], sum[1]);
  all.ranges = {};
  clear(all.words.data(), all.layout, all.dtype);
  std::size_t next = count_words;
  for_each_held(all.layout, all.dtype, [&](const AccumulatorRow& row, std::size_t at) {
    if (!row.additive) return;
    const auto n = static_cast<std::size_t>(row.words);
    std::copy_n(sum.begin() + static_cast<std::ptrdiff_t>(next), n, all.words.data() + at);
    next += n;
    row.canonicalise(all.words.data() + at);
  });
  for (const auto bytes : carried) {
    if (!bytes.empty()) merge_carried(all, bytes);
  }
  if (const char* why = why_invalid(all)) bad_message(why);
  return std::move(state_);
}

Size Message::words_each() const {
  const State::Impl& s = state_.held();
  if (kind_ == 0 || s.indexed) return 0;
  return free_words + count_words + static_cast<Size>(s.layout.words);
}

bool Message::adds() const {
  bool all = true;
  const State::Impl& s = state_.held();
  for_each_held(s.layout, s.dtype, [&](const AccumulatorRow& row, auto) { all &= row.additive; });
  return all;
}

void Message::put_row(const State& state, std::span<int64_t> row) const {
  const State::Impl &kind = state_.held(), &s = state.held();
  std::fill(row.begin(), row.end(), 0);
  const std::span<int64_t> words = row.subspan(free_words + count_words);
  if (s.holds.empty()) {
    clear(words.data(), kind.layout, kind.dtype);
    return;
  }
  if (kind_of(s) != kind_) {
    check_alike(kind, s, "merge");
    bad_message("the state and the plan are of different kinds");
  }
  row[free_words] = static_cast<int64_t>(s.count & 0xffffffff);
  row[free_words + 1] = static_cast<int64_t>(s.count >> 32);
  std::copy_n(s.words.begin(), words.size(), words.begin());
}

void Message::merge(int64_t* into, const int64_t* from, Size n) const {
  const State::Impl& kind = state_.held();
  for (; n != 0; --n, into += words_each(), from += words_each()) {
    for (Size k = 0; k < free_words + count_words; ++k) into[k] += from[k];
    for_each_held(kind.layout, kind.dtype, [&](const AccumulatorRow& row, std::size_t at) {
      at += free_words + count_words;
      if (!row.additive) return row.merge(into + at, from + at);
      for (std::size_t k = at; k < at + static_cast<std::size_t>(row.words); ++k)
        into[k] += from[k];
    });
  }
}

State Message::merged_row(std::span<const int64_t> row, State room) const {
  State::Impl& all = *room.impl_;
  all.count = count_of(row[free_words], row[free_words + 1]);
  const std::span<const int64_t> words = row.subspan(free_words + count_words);
  std::copy_n(words.begin(), words.size(), all.words.begin());
  for_each_held(all.layout, all.dtype, [&](const AccumulatorRow& each, std::size_t at) {
    if (each.additive) each.canonicalise(all.words.data() + at);
  });
  if (const char* why = why_invalid(all)) bad_message(why);
  return room;
}

}  // namespace onefold
