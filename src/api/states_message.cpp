// States of many slices as engines send them.
#include <algorithm>

#include "api/message_parts.hpp"
#include "api/states.hpp"
#include "onefold/message.hpp"
#include "parallel.hpp"
#include "plan/merge_kind.hpp"

namespace onefold {
namespace {

constexpr Size bits = 64;

bool has(std::span<const uint64_t> held, std::size_t word) {
  return (held[word / bits] >> word % bits & 1) != 0;
}

// f(word) of each word of a state that is added and held.
template <class F>
void for_each_added(const State::Impl& kind, std::span<const uint64_t> held, F f) {
  for_each_held(kind.layout, kind.dtype, [&](const AccumulatorRow& row, std::size_t at) {
    for (std::size_t w = at; row.additive && w < at + static_cast<std::size_t>(row.words); ++w) {
      if (has(held, w)) f(w);
    }
  });
}

// Bytes of a slice that are handed around.
Size carried_bytes(const State::Impl& kind) {
  Size n = 0;
  for_each_held(kind.layout, kind.dtype, [&](const AccumulatorRow& row, std::size_t) {
    if (!row.additive) n += 8 * static_cast<Size>(row.words);
  });
  return n;
}

}  // namespace

StatesMessage::StatesMessage(const States& states) : states_(states) {
  const States::Impl& s = states_.held();
  if (s.kind.holds.empty()) return;
  kind_ = merge_kind(s.kind.dtype, s.kind.holds, s.kind.nan, s.kind.indexed, s.shape);
  const StateTable& slices = s.slices;
  held_.resize(static_cast<std::size_t>(s.kind.layout.words) / bits + 1);
  for (const int w : slices.used()) {
    held_[static_cast<std::size_t>(w) / bits] |= uint64_t{1} << static_cast<Size>(w) % bits;
  }
  if (s.kind.indexed) put_ranges(ranges_, s.kind.ranges);
  std::vector<std::size_t> slots;  // of the words that are handed around
  for_each_held(s.kind.layout, s.kind.dtype, [&](const AccumulatorRow& row, std::size_t at) {
    if (row.additive) return;
    const auto first = std::find(slices.used().begin(), slices.used().end(), static_cast<int>(at));
    for (int k = 0; k < row.words; ++k) {
      slots.push_back(static_cast<std::size_t>(first - slices.used().begin() + k));
    }
  });
  if (!slots.empty()) {
    carried_.reserve(size() * slots.size() * sizeof(int64_t));
    for (Size i = 0; i < size(); ++i) {
      const int64_t* const words = slices.words().data() + i * slices.used().size();
      for (const std::size_t k : slots) put(carried_, static_cast<uint64_t>(words[k]));
    }
  }
  hold(std::vector<uint64_t>(held_));
}

Size StatesMessage::words_each() const {
  Size n = count_words;
  for_each_added(states_.held().kind, held_, [&](std::size_t) { ++n; });
  return n;
}

void StatesMessage::hold(std::span<const uint64_t> held) {
  bool wider = held.size() == held_.size();
  for (std::size_t k = 0; wider && k < held.size(); ++k) wider = (held_[k] & ~held[k]) == 0;
  if (!wider) bad_message("the words to hold are not those of all ranks");
  if (!added_.empty() && std::equal(held.begin(), held.end(), held_.begin())) return;
  held_.assign(held.begin(), held.end());
  if (kind_ == 0) return;
  const StateTable& slices = states_.held().slices;
  const Size width = slices.used().size();
  std::vector<Size> slots;  // of the words that are added; `width`: none, it is 0
  for_each_added(states_.held().kind, held_, [&](std::size_t w) {
    const auto at =
        std::lower_bound(slices.used().begin(), slices.used().end(), static_cast<int>(w));
    const bool there = at != slices.used().end() && *at == static_cast<int>(w);
    slots.push_back(there ? static_cast<Size>(at - slices.used().begin()) : width);
  });
  added_.clear();
  added_.reserve(size() * (slots.size() + count_words));
  for (Size i = 0; i < size(); ++i) {
    const int64_t* const words = slices.words().data() + i * width;
    const Size count = slices.count(i);
    added_.push_back(static_cast<int64_t>(count & 0xffffffff));
    added_.push_back(static_cast<int64_t>(count >> 32));
    for (const Size k : slots) added_.push_back(k == width ? 0 : words[k]);
  }
}

States StatesMessage::merged(Size first, std::span<const int64_t> sum,
                             std::span<const std::span<const std::byte>> carried,
                             std::span<const std::span<const std::byte>> ranges) const {
  if (kind_ == 0) return {};
  const States::Impl& mine = states_.held();
  const Size each = words_each(), n = sum.size() / each, bytes_each = carried_bytes(mine.kind);
  if (sum.size() % each != 0 || first > size() || n > size() - first) {
    bad_message("the sum is of other slices");
  }
  for (const auto bytes : carried) {
    if (bytes.size() != n * bytes_each) bad_message("what is carried is of other slices");
  }
  const Dims shape = n == size() ? mine.shape : Dims(static_cast<int64_t>(n));
  auto all = std::make_unique<States::Impl>(States::Impl{
      .kind = mine.kind, .shape = shape, .slices = {mine.kind.dtype, mine.kind.layout, n}});
  all->kind.ranges = {};
  for (auto bytes : ranges) {
    if (bytes.empty()) continue;
    if (mine.kind.indexed) unite_with(all->kind.ranges, bytes);
    if (!bytes.empty()) bad_message("something is carried that is none of this kind");
  }
  std::vector<int> added;
  for_each_added(mine.kind, held_, [&](std::size_t w) { added.push_back(static_cast<int>(w)); });
  StateTable& slices = all->slices;
  slices.hold(added, [](int) { return true; });
  parallel((n + slices_a_task - 1) / slices_a_task, 0, [&](std::size_t task) {
    HeldSlices held(*all);
    const State::Impl& kind = all->kind;
    std::vector<int64_t> scratch(static_cast<std::size_t>(kind.layout.words)), own;
    const Size end = std::min(n, (task + 1) * slices_a_task);
    for (Size i = task * slices_a_task; i < end; ++i) {
      const int64_t* const word = &sum[i * each];
      slices.add(i, added, word + count_words, count_of(word[0], word[1]), scratch.data());
      for (const auto bytes : carried) {
        auto rest = bytes.subspan(i * bytes_each, bytes_each);
        for_each_held(kind.layout, kind.dtype, [&](const AccumulatorRow& row, std::size_t at) {
          if (row.additive) return;
          own.resize(static_cast<std::size_t>(row.words));
          for (int64_t& w : own) w = static_cast<int64_t>(take(rest));
          slices.merge(i, static_cast<int>(at), row, own.data());
        });
      }
      if (const char* why = contradiction(held[i])) bad_message(why);
    }
  });
  slices.trim();
  all->count_largest();
  return States(std::move(all));
}

}  // namespace onefold
