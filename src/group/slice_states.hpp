// States of many slices side by side: of the words of a state those that some slice uses, the same
// for all slices.
//
//   digits  of limbs are those of the magnitude, all with its sign: small numbers of both signs
//           need no upper limbs, and equal values are equal words
//   used    of limbs all from the lowest to the highest that some slice needs; of other additive
//           words those that are not 0 somewhere; of others all
//   merge   digit by digit, then carried: no limb outside of those used is touched
#pragma once

#include <shared_mutex>
#include <vector>

#include "plan/plan.hpp"

namespace onefold {

class SliceStates {
 public:
  SliceStates(DType dtype, const Layout& layout, Size slices);

  Size size() const { return size_; }
  Size bytes() const { return words_.size() * sizeof(int64_t); }
  // A canonical state, which is taken apart, and how many elements it has. From several threads,
  // for different slices.
  void put(Size slice, int64_t* state, Size count);
  // The canonical state.
  void get(Size slice, int64_t* state) const;
  Size count(Size slice) const { return static_cast<Size>(at(slice)[used_.size() - 1]); }
  // Those of another one, slice by slice, of the same type, layout and size.
  void merge(const SliceStates& other);
  // Without words that no slice uses any more.
  SliceStates trimmed() const;
  friend bool operator==(const SliceStates& a, const SliceStates& b) {
    return a.used_ == b.used_ && a.words_ == b.words_;
  }

  // As they are saved: the words of a state that are held, rising, the count behind them; and those
  // of each slice.
  const std::vector<int>& used() const { return used_; }
  const std::vector<int64_t>& words() const { return words_; }
  //   used    rising, none beyond the count
  //   words   its size for each slice
  //   returns false, and holds nothing, where words are missing that are always used
  bool assign(const std::vector<int>& used, std::vector<int64_t> words);

 private:
  // Copies of what it guards have one of their own.
  struct Mutex : std::shared_mutex {
    Mutex() = default;
    Mutex(const Mutex&) {}
    Mutex& operator=(const Mutex&) { return *this; }
  };

  template <class F>
  void for_each_part(F f) const;
  std::vector<bool> always() const;
  void use(std::vector<bool> needed);
  bool has_room(const int64_t* state) const;
  int64_t* at(Size slice) { return words_.data() + slice * used_.size(); }
  const int64_t* at(Size slice) const { return words_.data() + slice * used_.size(); }

  DType dtype_;
  Layout layout_;
  Size size_;
  std::vector<int64_t> none_;  // a state of nothing, and its count
  std::vector<int> used_;      // words of it, rising
  std::vector<int> slot_;      // of each word; -1: not held
  std::vector<int64_t> words_;
  Mutex widening_;
};

}  // namespace onefold
