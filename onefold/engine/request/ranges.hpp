// The index ranges of gathered elements; a state keeps them if an op answers with an index.
#pragma once

#include <vector>

#include "onefold/core/base.hpp"

namespace onefold {

// Ranges [begin, end) of indices: disjoint, in order, and joined if they touch. So the same
// elements give the same ranges, in whatever order they came.
//
// Ranges are kept sorted, in blocks of at most `most` ranges. Adding a range moves at most half a
// block (docs/decisions/0018-one-table-of-states.md).
class Ranges {
 public:
  struct Range {
    Size begin, end;
    friend bool operator==(const Range&, const Range&) = default;
  };
  class Iterator;

  Ranges() = default;
  Ranges(Size begin, Size end) { append(begin, end); }

  // Adds the elements of another set.
  //   throws  overlap: an element is in both. After any exception the set is unchanged
  //   cost    n log m for n ranges in the smaller set and m in the larger; if the other set is
  //           larger, also a copy of it
  void unite(const Ranges& others);
  bool has(Size element) const;
  // Adds a range that begins after the last one and does not touch it; otherwise returns false.
  bool append(Size begin, Size end);

  inline Iterator begin() const;
  inline Iterator end() const;
  const Range& back() const { return blocks_.back().ranges.back(); }
  std::size_t size() const { return size_; }
  Size elements() const { return elements_; }
  bool empty() const { return size_ == 0; }
  friend bool operator==(const Ranges& a, const Ranges& b);

  static constexpr std::size_t most = 256;  // 128 to 512 take the same time

 private:
  struct Block {
    Size first;  // the begin of its first range
    std::vector<Range> ranges;
  };
  // A block, and its first range that begins after a given element.
  struct Position {
    std::size_t block, at;
  };
  Position behind(Size element) const;
  void check(Range range) const;
  void make_room(const Ranges& others);
  void insert(Range range);
  void erase(Position place);
  void split(std::size_t block);

  std::size_t size_ = 0;
  Size elements_ = 0;
  std::vector<Block> blocks_;  // without empty blocks
  std::vector<Block> spare_;   // empty blocks for `insert`
};

class Ranges::Iterator {
 public:
  const Range& operator*() const { return block_->ranges[at_]; }
  const Range* operator->() const { return &**this; }
  Iterator& operator++() {
    if (++at_ == block_->ranges.size()) ++block_, at_ = 0;
    return *this;
  }
  friend bool operator==(const Iterator&, const Iterator&) = default;

 private:
  friend class Ranges;
  explicit Iterator(const Block* block) : block_(block) {}
  const Block* block_;
  std::size_t at_ = 0;
};
Ranges::Iterator Ranges::begin() const { return Iterator(blocks_.data()); }
Ranges::Iterator Ranges::end() const { return Iterator(blocks_.data() + blocks_.size()); }

}  // namespace onefold
