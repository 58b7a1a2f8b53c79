#include "onefold/message.hpp"

#include <algorithm>

#include "api/message_parts.hpp"
#include "plan/merge_kind.hpp"

namespace onefold {
namespace {

// The most words of an accumulator that is not additive, such as least.
constexpr int most_extreme_words = 8;

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
  if (!bytes.empty()) bad_message("something is carried that is none of this kind");
}

}  // namespace

Message::Message(State state) : state_(std::move(state)) {
  const State::Impl& s = state_.held();
  // Shares of different files get different kinds, so they are never merged.
  kind_ = s.holds.empty() ? 0
                          : std::max(merge_kind(s.dtype, s.holds, s.nan, s.indexed) ^ s.whole.hash,
                                     uint64_t{1});
  if (kind_ == 0) return;
  // All other accumulators are checked against sums, as integers of any length.
  for (int a = 0; a < every_accumulator; ++a) {
    const auto each = static_cast<Accumulator>(a);
    allocates_ |= s.holds.has(each) && each != Accumulator::sum && each != Accumulator::tally;
  }
  allocates_ |= s.indexed;
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
  if (sum.size() != added_.size()) bad_message("the sum is of another kind of states");
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
  if (const char* why = contradiction(all)) bad_message(why);
  return std::move(state_);
}

}  // namespace onefold
