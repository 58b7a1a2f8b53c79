// Keys in ascending order, equal ones included, to which windows add and from which they take away.
//
//   leaves  arrays of at most 256 keys in order, in the order of their keys. Up to 256 keys are one
//           leaf: to find a place takes 8 steps, and to make room moves 1 KiB on average
//   counts  a tree of partial sums (Fenwick) over the numbers of the leaves' keys finds the leaf of
//           a rank. It is made anew when a leaf is cut or joined, for which at least 32 keys came
//           or went
//   cost    insert, erase, at: O(log n) steps, and keys of one leaf that move
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "onefold/core/base.hpp"

namespace onefold::cpu_backend {

class SortedKeys {
 public:
  static constexpr Size most = 256;  // keys of a leaf

  Size size() const { return size_; }

  // Replaces all keys. Those given need no order.
  void assign(std::vector<uint64_t>& keys) {
    std::sort(keys.begin(), keys.end());
    size_ = keys.size();
    const Size each = size_ <= most ? most : filled;
    leaves_.resize(std::max<Size>(1, (size_ + each - 1) / each));
    for (Size l = 0, from = 0; l < leaves_.size(); ++l) {
      const Size n = std::min(each, size_ - from);
      if (leaves_[l].keys == nullptr) leaves_[l] = new_leaf();
      std::copy_n(keys.data() + from, n, leaves_[l].keys.get());
      leaves_[l].count = n;
      from += n;
    }
    count_leaves();
  }

  void insert(uint64_t key) {
    if (leaves_.empty()) leaves_.push_back(new_leaf());
    Size l = leaf_of(key);
    if (leaves_[l].count == most) {
      cut(l);
      l = leaf_of(key);
    }
    Leaf& leaf = leaves_[l];
    uint64_t* const at = leaf.keys.get() + leaf.place_of(key);
    uint64_t* const end = leaf.keys.get() + leaf.count;
    std::memmove(at + 1, at, static_cast<Size>(end - at) * sizeof key);
    *at = key;
    changed(l, 1);
  }

  // Takes away one of the keys of this value; there is one.
  void erase(uint64_t key) {
    const Size l = leaf_of(key);
    Leaf& leaf = leaves_[l];
    uint64_t* const at = leaf.keys.get() + leaf.place_of(key);
    uint64_t* const end = leaf.keys.get() + leaf.count;
    std::memmove(at, at + 1, static_cast<Size>(end - at - 1) * sizeof key);
    changed(l, -1);
    if (leaf.count < fewest && leaves_.size() > 1) join(l);
  }

  // Takes away a key, which is there, and inserts another one.
  void replace(uint64_t old, uint64_t key) {
    if (leaves_.size() != 1) {
      erase(old);
      insert(key);
      return;
    }
    const Leaf& leaf = leaves_[0];
    const Size from = leaf.place_of(old), to = leaf.place_of(key);
    uint64_t* const keys = leaf.keys.get();
    // Only the keys between both places move.
    if (from < to) {
      std::memmove(keys + from, keys + from + 1, (to - 1 - from) * sizeof key);
      keys[to - 1] = key;
    } else {
      std::memmove(keys + to + 1, keys + to, (from - to) * sizeof key);
      keys[to] = key;
    }
  }

  // Returns the key of rank `rank` < size().
  uint64_t at(Size rank) const {
    if (leaves_.size() == 1) return leaves_[0].keys[rank];
    Size l = 0;
    for (Size step = std::bit_floor(tree_.size()); step > 0; step /= 2) {
      if (l + step > tree_.size() || tree_[l + step - 1] > rank) continue;
      l += step;
      rank -= tree_[l - 1];
    }
    return leaves_[l].keys[rank];
  }

 private:
  // Leaves are made with 3/4 of their room, and joined if they have less than 1/8.
  static constexpr Size filled = most / 4 * 3, fewest = most / 8;

  struct Leaf {
    std::unique_ptr<uint64_t[]> keys = nullptr;
    Size count = 0;

    // The number of keys that are less.
    Size place_of(uint64_t key) const {
      const uint64_t* from = keys.get();
      for (Size n = count; n > 0;) {
        const Size half = (n + 1) / 2;
        from += half & (Size{0} - static_cast<Size>(from[half - 1] < key));  // without a branch
        n -= half;
      }
      return static_cast<Size>(from - keys.get());
    }
  };
  static Leaf new_leaf() { return {std::make_unique_for_overwrite<uint64_t[]>(most), 0}; }

  // Returns the first leaf whose last key is not less, or the last one.
  Size leaf_of(uint64_t key) const {
    if (leaves_.size() == 1) return 0;
    const auto at = std::lower_bound(last_.begin(), last_.end() - 1, key);
    return static_cast<Size>(at - last_.begin());
  }

  // Notes that a leaf has one key more or less.
  void changed(Size l, int by) {
    Leaf& leaf = leaves_[l];
    leaf.count += static_cast<Size>(by);
    size_ += static_cast<Size>(by);
    if (leaves_.size() == 1) return;
    if (leaf.count != 0) last_[l] = leaf.keys[leaf.count - 1];
    for (Size i = l; i < tree_.size(); i |= i + 1) tree_[i] += static_cast<Size>(by);
  }

  void cut(Size l) {
    Leaf more = new_leaf();
    Leaf& leaf = leaves_[l];
    more.count = leaf.count / 2;
    leaf.count -= more.count;
    std::copy_n(leaf.keys.get() + leaf.count, more.count, more.keys.get());
    leaves_.insert(leaves_.begin() + static_cast<std::ptrdiff_t>(l) + 1, std::move(more));
    count_leaves();
  }

  // Joins a leaf and its shorter neighbour, if there is room for the keys of both and more. No leaf
  // stays empty.
  void join(Size l) {
    const auto count = [&](Size k) { return k < leaves_.size() ? leaves_[k].count : most; };
    const Size left = l > 0 && count(l - 1) <= count(l + 1) ? l - 1 : l;
    if (count(left) + count(left + 1) > (count(l) == 0 ? most : filled)) return;
    Leaf& leaf = leaves_[left];
    const Leaf& next = leaves_[left + 1];
    std::copy_n(next.keys.get(), next.count, leaf.keys.get() + leaf.count);
    leaf.count += next.count;
    leaves_.erase(leaves_.begin() + static_cast<std::ptrdiff_t>(left) + 1);
    count_leaves();
  }

  void count_leaves() {
    const Size n = leaves_.size();
    tree_.assign(n, 0);
    last_.assign(n, 0);
    for (Size i = 0; i < n; ++i) {
      const Leaf& leaf = leaves_[i];
      if (leaf.count != 0) last_[i] = leaf.keys[leaf.count - 1];
      tree_[i] += leaf.count;
      if ((i | (i + 1)) < n) tree_[i | (i + 1)] += tree_[i];
    }
  }

  Size size_ = 0;
  std::vector<Leaf> leaves_;
  std::vector<uint64_t> last_;  // each leaf's last key
  std::vector<Size> tree_;      // tree_[i]: the keys of leaves i & (i + 1) .. i
};

}  // namespace onefold::cpu_backend
