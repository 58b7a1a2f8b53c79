// The index ranges of the elements that a state has gathered, kept if an op answers with an index.
#pragma once

#include <map>

#include "onefold/base.hpp"

namespace onefold {

// Ranges [begin, end) of indices, disjoint and in order, neighbours joined: the same elements are
// the same ranges, in whatever order they came.
class Ranges {
 public:
  Ranges() = default;
  Ranges(Size begin, Size end) { append(begin, end); }

  // Adds the elements of others.
  //   throws  overlap: an element is in both; nothing is then changed, nor by any other exception
  //   cost    n log m of the smaller one's n ranges and the larger one's m; where the others are
  //           the larger, a copy of them besides
  void unite(const Ranges& others);
  // Adds one range behind the last and not next to it; false: it is elsewhere, or empty.
  bool append(Size begin, Size end);

  auto begin() const { return ends_.begin(); }  // pairs of begin and end
  auto end() const { return ends_.end(); }
  std::size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  friend bool operator==(const Ranges&, const Ranges&) = default;

 private:
  using Map = std::map<Size, Size>;
  void check(Size begin, Size end) const;
  void place(Map::node_type range);

  Map ends_;  // the end of each range, by its begin
};

}  // namespace onefold
