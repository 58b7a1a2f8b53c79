#include "onefold/engine/quantile/rank_search.hpp"

#include <algorithm>
#include <utility>

#include "onefold/error.hpp"

namespace onefold {
namespace {

// The counts of a range take 512 KiB for 16 bits, 2 KiB for 8 bits.
constexpr Size most_wide_ranges = 48;

}  // namespace

RankSearch::RankSearch(Size columns, Size room)
    : room_(room), counts_(columns), ranges_(columns, std::vector<KeyInterval>(1)) {
  begin_pass();
}

RankSearch::RankSearch(std::vector<Size> counts, Size room)
    : room_(room), first_(false), counts_(std::move(counts)) {
  for (const Size count : counts_) ranges_.push_back({KeyInterval{.count = count}});
  begin_pass();
}

void RankSearch::want(Size column, const Quantile& q) {
  if (count(column) == 0) return;
  const QuantilePlace at = place_of(q, count(column));
  want(column, at.rank);
  if (at.rest > 0) want(column, at.rank + 1);
}

uint64_t RankSearch::value(Size column, const Quantile& q, DType dtype, DType type) const {
  if (count(column) == 0) return quantile_of_nothing(type);
  const QuantilePlace at = place_of(q, count(column));
  const uint64_t low = key(column, at.rank);
  return quantile_bits(dtype, low, at.rest > 0 ? key(column, at.rank + 1) : low, at, type);
}

void RankSearch::begin_pass() {
  Size ranges = 0, keys = 0;
  unsigned bits = 0;
  for (const auto& list : ranges_) {
    ranges += list.size();
    for (const KeyInterval& r : list) keys += r.count;
  }
  // In the first pass the number of elements is not known yet.
  keeps_ = first_ || keys <= room_;
  counts_keys_ = first_ || shared_ || !keeps_;
  // All ranges have prefixes of one length.
  for (const auto& list : ranges_) bits = list.empty() ? bits : list[0].bits;
  step_ = ranges <= most_wide_ranges && bits <= 48 ? 16 : 8;
  kept_ = 0;
  if (!counts_keys_) return;
  for (auto& list : ranges_) {
    for (KeyInterval& r : list) r.counts.assign(Size{1} << step_, 0);
  }
}

void RankSearch::add_up(const AddUp& sums) {
  shared_ = true;
  if (first_) sums(counts_);
  for (auto& list : ranges_) {
    for (KeyInterval& r : list) sums(r.counts);
  }
}

void RankSearch::add(Size column, const std::vector<uint64_t>& keys) {
  if (first_) counts_[column] += keys.size();
  for (KeyInterval& r : ranges_[column]) {
    const unsigned shift = 64 - r.bits - step_;
    const uint64_t mask = (uint64_t{1} << step_) - 1;
    const std::size_t before = r.keys.size();
    for (const uint64_t key : keys) {
      if (!r.holds(key)) continue;
      if (counts_keys_) ++r.counts[key >> shift & mask];
      if (keeps_) r.keys.push_back(key);
    }
    kept_ += r.keys.size() - before;
  }
  if (!keeps_ || kept_ <= room_) return;
  // Only in the first pass can there be no room for a column's keys.
  keeps_ = false;
  for (auto& list : ranges_) {
    for (KeyInterval& r : list) std::vector<uint64_t>().swap(r.keys);
  }
}

// Looks up the wanted ranks of a range whose keys are stored and sorted, or which has one key only.
void RankSearch::look_up(const KeyInterval& range, Size column) {
  for (auto& [place, key] : wanted_) {
    const auto [of, rank] = place;
    if (of != column || key || rank < range.before) continue;
    const Size at = rank - range.before;
    if (range.bits == 64) {
      if (at < range.count) key = range.prefix;
    } else if (at < range.keys.size()) {
      key = range.keys[at];
    }
  }
}

// The parts of a range in which wanted ranks lie.
std::map<uint64_t, RankSearch::KeyInterval> RankSearch::narrowed(const KeyInterval& range,
                                                                 Size column) const {
  std::map<uint64_t, KeyInterval> parts;
  for (const auto& [place, key] : wanted_) {
    const auto [of, rank] = place;
    if (of != column || key || rank < range.before) continue;
    Size before = range.before;
    for (std::size_t k = 0; k < range.counts.size(); before += range.counts[k++]) {
      if (rank >= before + range.counts[k]) continue;
      const uint64_t prefix = range.prefix << step_ | k;
      parts[prefix] = {prefix, range.bits + step_, before, range.counts[k]};
      break;
    }
  }
  return parts;
}

// Counts the keys that this rank has stored in the ranges of the next pass.
//   stored  of each column
void RankSearch::count_stored(std::vector<std::vector<uint64_t>> stored) {
  keeps_ = true;
  for (Size c = 0; c < stored.size(); ++c) add(c, stored[c]);
}

// Each rank that is still sought must lie in a range, or the search would never end.
void RankSearch::check_ranges() const {
  for (const auto& [place, key] : wanted_) {
    const auto [column, rank] = place;
    const auto holds = [rank = rank](const KeyInterval& r) {
      return rank >= r.before && rank - r.before < r.count;
    };
    if (key || std::ranges::any_of(ranges_[column], holds)) continue;
    throw Error(ErrorCode::read_failed,
                "quantiles: the numbers differ from those of the first pass; they were modified "
                "while they were read");
  }
}

bool RankSearch::end_pass() {
  first_ = false;
  const bool stored = shared_ && keeps_;
  std::vector<std::vector<uint64_t>> keys(stored ? ranges_.size() : 0);
  for (Size c = 0; c < ranges_.size(); ++c) {
    std::map<uint64_t, KeyInterval> next;
    for (KeyInterval& r : ranges_[c]) {
      if (stored) keys[c].insert(keys[c].end(), r.keys.begin(), r.keys.end());
      if (keeps_ && !shared_) {
        std::sort(r.keys.begin(), r.keys.end());
        look_up(r, c);
      } else {
        next.merge(narrowed(r, c));
      }
    }
    ranges_[c].clear();
    for (auto& [prefix, range] : next) {
      if (range.bits == 64) {
        look_up(range, c);
      } else {
        ranges_[c].push_back(std::move(range));
      }
    }
  }
  const bool done = std::all_of(wanted_.begin(), wanted_.end(),
                                [](const auto& w) { return w.second.has_value(); });
  if (!done) {
    check_ranges();
    begin_pass();
  }
  counted_ = stored && !done;
  if (counted_) count_stored(std::move(keys));
  return done;
}

}  // namespace onefold
