// Finds the keys at given ranks in columns of 64-bit keys; in each pass the caller passes all keys.
//
//   pass    a range is the set of keys that begin with certain bits. A pass counts the keys of each
//           range by their next 16 bits (8 if there are many ranges), or stores the keys of all
//           ranges if there is room
//   ranks   each passes a share of the keys, and counts are added up over all of them. Keys stay on
//           their rank: if it has stored them, they are counted there again instead of being read
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "onefold/core/base.hpp"
#include "onefold/engine/quantile/select.hpp"

namespace onefold {

class RankSearch {
 public:
  //   room  keys that may be kept
  RankSearch(Size columns, Size room);
  //   counts  numbers of keys of each column, if they are known before the first pass
  RankSearch(std::vector<Size> counts, Size room);

  // Adds keys of a column to the pass.
  void add(Size column, const std::vector<uint64_t>& keys);
  // Replaces each count by its sum over all ranks, which call it alike. To be called after each
  // pass, before the other functions.
  using AddUp = std::function<void(std::vector<Size>& counts)>;
  void add_up(const AddUp& sums);
  // After the first pass: how many keys a column has.
  Size count(Size column) const { return counts_[column]; }
  // After the first pass: asks for the key of this rank, or of those between which a quantile lies.
  void want(Size column, Size rank) { wanted_[{column, rank}] = {}; }
  void want(Size column, const Quantile& q);
  // Ends a pass. False: another one is needed; reads() says whether keys must be passed again. Each
  // pass knows 8 bits more of each key, so there are at most eight after the first.
  //   throws  read_failed: the keys were not those of the pass before
  bool end_pass();
  bool reads() const { return !counted_; }
  // After the last pass: returns a key that was asked for; the other function a quantile, as
  // quantile_bits does.
  uint64_t key(Size column, Size rank) const { return *wanted_.at({column, rank}); }
  uint64_t value(Size column, const Quantile& q, DType dtype, DType type) const;

 private:
  struct KeyInterval {
    uint64_t prefix = 0;
    unsigned bits = 0;  // bits of the prefix
    Size before = 0;    // number of the column's keys below the range
    Size count = 0;
    std::vector<Size> counts = {};
    std::vector<uint64_t> keys = {};
    bool holds(uint64_t key) const { return bits == 0 || key >> (64 - bits) == prefix; }
  };
  void begin_pass();
  void check_ranges() const;
  void count_stored(std::vector<std::vector<uint64_t>> stored);
  void look_up(const KeyInterval& range, Size column);
  std::map<uint64_t, KeyInterval> narrowed(const KeyInterval& range, Size column) const;

  Size room_, kept_ = 0;
  bool keeps_ = true, counts_keys_ = true, first_ = true;
  bool shared_ = false;   // other ranks have keys too
  bool counted_ = false;  // this rank's keys are stored, and counted for the pass
  unsigned step_ = 16;
  std::vector<Size> counts_;                      // number of keys of each column
  std::vector<std::vector<KeyInterval>> ranges_;  // ranges of each column
  std::map<std::pair<Size, Size>, std::optional<uint64_t>> wanted_;
};

}  // namespace onefold
