#include "onefold/engine/request/ranges.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "onefold/error.hpp"

namespace onefold {
namespace {

[[noreturn]] void refuse_overlap(Size begin, Size end) {
  throw Error(ErrorCode::overlap, "merge: both states cover the elements from " +
                                      std::to_string(begin) + " to " + std::to_string(end - 1) +
                                      "; gather each part with the index of its first element "
                                      "(.first, --first)");
}

}  // namespace

bool operator==(const Ranges& a, const Ranges& b) {
  if (a.size_ != b.size_) return false;
  for (auto i = a.begin(), k = b.begin(); i != a.end(); ++i, ++k) {
    if (*i != *k) return false;
  }
  return true;
}

bool Ranges::append(Size begin, Size end) {
  if (end <= begin || (!empty() && begin <= back().end)) return false;
  if (empty() || blocks_.back().ranges.size() == most) {
    Block block{begin, {{begin, end}}};
    blocks_.push_back(std::move(block));
  } else {
    blocks_.back().ranges.push_back({begin, end});
  }
  ++size_;
  elements_ += end - begin;
  return true;
}

// The returned place may be the end of a block.
Ranges::Position Ranges::behind(Size element) const {
  const auto block = std::upper_bound(blocks_.begin(), blocks_.end(), element,
                                      [](Size e, const Block& b) { return e < b.first; });
  if (block == blocks_.begin()) return {0, 0};
  const auto& ranges = std::prev(block)->ranges;
  const auto at = std::upper_bound(ranges.begin(), ranges.end(), element,
                                   [](Size e, const Range& r) { return e < r.begin; });
  return {static_cast<std::size_t>(block - blocks_.begin()) - 1,
          static_cast<std::size_t>(at - ranges.begin())};
}

bool Ranges::has(Size element) const {
  if (empty()) return false;
  const Position next = behind(element);
  return next.at > 0 && element < blocks_[next.block].ranges[next.at - 1].end;
}

// Throws if one of the elements is already in the set.
void Ranges::check(Range range) const {
  if (empty()) return;
  const Position next = behind(range.begin);
  const std::vector<Range>& ranges = blocks_[next.block].ranges;
  if (next.at > 0 && ranges[next.at - 1].end > range.begin) {
    refuse_overlap(range.begin, std::min(ranges[next.at - 1].end, range.end));
  }
  const bool last = next.at == ranges.size();
  if (last && next.block + 1 == blocks_.size()) return;
  const Range& after = last ? blocks_[next.block + 1].ranges[0] : ranges[next.at];
  if (after.begin < range.end) refuse_overlap(after.begin, std::min(after.end, range.end));
}

// Allocates all blocks that inserting the others can need: n ranges split a block of `most` ranges
// at most 1 + 2 n / most times.
void Ranges::make_room(const Ranges& others) {
  std::size_t splits = 0;
  for (auto next = others.begin(); next != others.end();) {
    const std::size_t block = behind(next->begin).block;
    const bool last = block + 1 == blocks_.size();
    std::size_t n = 0;
    while (next != others.end() && (last || next->begin < blocks_[block + 1].first)) ++n, ++next;
    std::vector<Range>& ranges = blocks_[block].ranges;
    const std::size_t all = ranges.size() + n;
    if (all > most) splits += 1 + 2 * n / most;
    if (all > ranges.capacity()) ranges.reserve(std::min(most, std::max(all, 2 * ranges.size())));
  }
  blocks_.reserve(blocks_.size() + splits);
  spare_.reserve(splits);
  while (spare_.size() < splits) {
    spare_.push_back({});
    spare_.back().ranges.reserve(most);
  }
}

// Erases a range that was joined to the one above it.
void Ranges::erase(Position place) {
  std::vector<Range>& ranges = blocks_[place.block].ranges;
  ranges.erase(ranges.begin() + static_cast<std::ptrdiff_t>(place.at));
  if (ranges.empty()) blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(place.block));
  --size_;
}

// Moves the upper half of a full block to a spare one.
void Ranges::split(std::size_t block) {
  Block& upper = *blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(block) + 1,
                                 std::move(spare_.back()));
  spare_.pop_back();
  std::vector<Range>& lower = blocks_[block].ranges;
  upper.ranges.assign(lower.begin() + most / 2, lower.end());
  upper.first = upper.ranges[0].begin;
  lower.resize(most / 2);
}

// Joins a range to its neighbours, or inserts it between them. It overlaps none, and there is room.
// Later ranges go to the blocks for which make_room counted them: if it joins two ranges, the one
// in the upper block stays.
void Ranges::insert(Range range) {
  elements_ += range.end - range.begin;
  Position next = behind(range.begin);
  const bool last = next.at == blocks_[next.block].ranges.size();
  const Position after = last ? Position{next.block + 1, 0} : next;
  Range* const above =
      after.block < blocks_.size() ? &blocks_[after.block].ranges[after.at] : nullptr;
  const bool joins_above = above != nullptr && above->begin == range.end;
  Range* const below = next.at > 0 ? &blocks_[next.block].ranges[next.at - 1] : nullptr;
  const bool joins_below = below != nullptr && below->end == range.begin;
  if (joins_above) {
    above->begin = joins_below ? below->begin : range.begin;
    blocks_[after.block].first = blocks_[after.block].ranges[0].begin;
    if (joins_below) erase({next.block, next.at - 1});
    return;
  }
  if (joins_below) {
    below->end = range.end;
    return;
  }
  if (blocks_[next.block].ranges.size() == most) {
    split(next.block);
    if (next.at > most / 2) next = {next.block + 1, next.at - most / 2};
  }
  Block& block = blocks_[next.block];
  block.ranges.insert(block.ranges.begin() + static_cast<std::ptrdiff_t>(next.at), range);
  block.first = block.ranges[0].begin;
  ++size_;
}

void Ranges::unite(const Ranges& others) {
  if (size() < others.size()) {
    Ranges all = others;
    all.unite(*this);
    *this = std::move(all);
    return;
  }
  if (others.empty()) return;
  for (const Range& range : others) check(range);
  make_room(others);
  for (const Range& range : others) insert(range);
  spare_.clear();
}

}  // namespace onefold
