#include "api/ranges.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "onefold/error.hpp"

namespace onefold {
namespace {

[[noreturn]] void refuse(Size begin, Size end) {
  throw Error(ErrorCode::overlap, "merge: both states cover the elements from " +
                                      std::to_string(begin) + " to " + std::to_string(end - 1) +
                                      "; gather each part with the index of its first element "
                                      "(.first, --first)");
}

}  // namespace

bool Ranges::append(Size begin, Size end) {
  if (end <= begin || (!ends_.empty() && begin <= ends_.rbegin()->second)) return false;
  ends_.emplace_hint(ends_.end(), begin, end);
  return true;
}

// Throws if the set has an element of [begin, end).
void Ranges::check(Size begin, Size end) const {
  const auto next = ends_.lower_bound(begin);
  if (next != ends_.begin()) {
    const Size before = std::prev(next)->second;
    if (before > begin) refuse(begin, std::min(before, end));
  }
  if (next != ends_.end() && next->first < end) refuse(next->first, std::min(next->second, end));
}

// Adds a range, which overlaps no other, and joins it with adjacent ranges.
void Ranges::place(Map::node_type range) {
  const Size end = range.mapped();
  auto next = ends_.lower_bound(range.key());
  if (next != ends_.begin() && std::prev(next)->second == range.key()) {
    std::prev(next)->second = end;
  } else {
    next = std::next(ends_.insert(next, std::move(range)));
  }
  if (next == ends_.end() || next->first != end) return;
  std::prev(next)->second = next->second;
  ends_.erase(next);
}

void Ranges::unite(const Ranges& others) {
  if (size() < others.size()) {
    Ranges all = others;
    all.unite(*this);
    std::swap(ends_, all.ends_);
    return;
  }
  for (const auto& [begin, end] : others) check(begin, end);
  // Moves the nodes of a copy: this allocates nothing, so it cannot fail half-way.
  for (Map rest = others.ends_; !rest.empty();) place(rest.extract(rest.begin()));
}

}  // namespace onefold
