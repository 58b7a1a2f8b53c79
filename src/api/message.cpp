#include "onefold/message.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "api/state.hpp"
#include "plan/merge_kind.hpp"

namespace onefold {
namespace {

// The first words of `added`: how many elements, in two halves, so that their sum over 2^31 ranks
// is seen whole even where it is beyond int64.
constexpr std::size_t count_words = 2;

template <class F>
void for_each_held(const State::Impl& s, F f) {
  for (int a = 0; a < every_accumulator; ++a) {
    if (s.layout.offset[a] >= 0) {
      f(row_of(static_cast<Accumulator>(a), s.dtype), static_cast<std::size_t>(s.layout.offset[a]));
    }
  }
}

[[noreturn]] void bad(const char* why) {
  throw Error(ErrorCode::bad_state, std::string("merged: ") + why);
}

void put(std::vector<std::byte>& to, uint64_t v) {
  const auto* b = reinterpret_cast<const std::byte*>(&v);
  to.insert(to.end(), b, b + sizeof v);
}
uint64_t take(std::span<const std::byte>& from) {
  uint64_t v = 0;
  if (from.size() < sizeof v) bad("what is carried ends early");
  std::memcpy(&v, from.data(), sizeof v);
  from = from.subspan(sizeof v);
  return v;
}

// One rank's part of what is no sum.
void merge_carried(State::Impl& into, std::span<const std::byte> bytes) {
  const uint64_t n = take(bytes);
  if (n > bytes.size() / sizeof(Range)) bad("what is carried ends early");
  std::vector<Range> ranges(n);
  for (auto& [begin, end] : ranges) {
    begin = take(bytes);
    end = take(bytes);
    if (end <= begin) bad("a range is none");
  }
  into.ranges = united(std::move(into.ranges), ranges);
  for_each_held(into, [&](const AccumulatorRow& row, std::size_t at) {
    if (row.additive) return;
    std::vector<int64_t> words(static_cast<std::size_t>(row.words));
    for (int64_t& w : words) w = static_cast<int64_t>(take(bytes));
    row.merge(into.words.data() + at, words.data());
  });
  if (!bytes.empty()) bad("something is carried that is none of this kind");
}

}  // namespace

Message::Message(const State& state) : state_(state) {
  const State::Impl& s = state.held();
  kind_ = s.holds.empty() ? 0 : merge_kind(s.dtype, s.holds, s.nan, s.indexed);
  if (kind_ == 0) return;
  added_ = {static_cast<int64_t>(s.count & 0xffffffff), static_cast<int64_t>(s.count >> 32)};
  std::vector<std::byte> extremes;
  for_each_held(s, [&](const AccumulatorRow& row, std::size_t at) {
    for (std::size_t k = at; k < at + static_cast<std::size_t>(row.words); ++k) {
      if (!row.additive) {
        put(extremes, static_cast<uint64_t>(s.words[k]));
      } else {
        added_.push_back(s.words[k]);
      }
    }
  });
  if (extremes.empty() && s.ranges.empty()) return;
  put(carried_, s.ranges.size());
  for (const Range& r : s.ranges) {
    put(carried_, r.first);
    put(carried_, r.second);
  }
  carried_.insert(carried_.end(), extremes.begin(), extremes.end());
}

State Message::merged(std::span<const int64_t> sum,
                      std::span<const std::span<const std::byte>> carried) const {
  if (sum.size() != added_.size()) bad("the sum is of another kind of states");
  if (kind_ == 0) return {};
  // Halves below 2^32 of up to 2^31 ranks.
  if (sum[0] < 0 || sum[1] < 0) bad("the elements are fewer than none");
  const Size high = static_cast<Size>(sum[1]) + (static_cast<Size>(sum[0]) >> 32);
  if (high >> 31 != 0) {
    throw Error(ErrorCode::overflow, "merged: the states hold 2^63 elements or more together");
  }
  auto all = std::make_unique<State::Impl>(state_.held());
  all->count = high << 32 | (static_cast<Size>(sum[0]) & 0xffffffff);
  all->ranges.clear();
  clear(all->words.data(), all->layout, all->dtype);
  std::size_t next = count_words;
  for_each_held(*all, [&](const AccumulatorRow& row, std::size_t at) {
    if (!row.additive) return;
    const auto n = static_cast<std::size_t>(row.words);
    std::copy_n(sum.begin() + static_cast<std::ptrdiff_t>(next), n, all->words.data() + at);
    next += n;
    row.canonicalise(all->words.data() + at);
  });
  for (const auto bytes : carried) {
    if (!bytes.empty()) merge_carried(*all, bytes);
  }
  if (const char* why = contradiction(*all)) bad(why);
  return State(std::move(all));
}

}  // namespace onefold
