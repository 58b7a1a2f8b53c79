// States of many groups, in few words each: of the words of a state only those are kept that some
// group has ever used. Sums of like-sized f64 use 3 to 6 limbs of 68.
//
//   words    not carried: digits of both signs are added up, so negative sums need no more limbs
//   carry    before 2^30 elements have been added since the last one
//   limits   no accumulator of two arrays, no indices (an extreme's is 0)
#pragma once

#include <vector>

#include "plan/plan.hpp"

namespace onefold {

class CompactStates {
 public:
  //   plan   what is gathered, of which type; lives as long as this
  explicit CompactStates(const Plan& plan);

  Size size() const { return size_; }
  // More groups, of nothing.
  void grow(Size groups);
  // x[i], `step` elements from x[i - 1], to the group of number group[i].
  void add(const uint32_t* group, const std::byte* x, Size step, Size n);
  // A group's state as backends give it: all words, canonical.
  void expand(Size group, int64_t* state) const;
  // So much is held.
  Size bytes() const { return words_.capacity() * sizeof(int64_t); }

  Size carry_interval = most_uncarried;  // tests have fewer

 private:
  int slot_of(int word);
  void carry();
  template <class A>
  void add_to(int offset, const uint32_t* group, const std::byte* x, Size step, Size n);

  const Plan& plan_;
  Size size_ = 0;
  std::vector<int> slot_;         // of each word of a state; -1: never used
  std::vector<int64_t> initial_;  // a group of nothing
  int slots_ = 0, stride_ = 0;    // words used, and from group to group
  std::vector<int64_t> words_;
  Size uncarried_ = 0;
};

}  // namespace onefold
