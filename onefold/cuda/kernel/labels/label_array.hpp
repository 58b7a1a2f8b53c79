// Reads labels of any type and stride as numbers of groups.
#pragma once

#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

inline constexpr uint32_t no_group = ~0u;

// How the sums without sorting (sums.hpp) ended, for the launches that follow.
struct SumsOutcome {
  enum : int { answered, refused, bad_label };
};

template <class M>
struct LabelArray {
  In<M, uint8_t> at;
  int64_t apart = 1;     // labels from one to the next (stride)
  uint32_t bytes = 8;    // bytes of a label
  bool boolean = false;  // any byte but 0 is 1
  // A label is a group's number if, as an unsigned number, it is below `limit`. For signed labels
  // that is at most 2^(bits - 1), so negative labels are no numbers.
  uint32_t limit = 0;

  template <class L>
  ONEFOLD_KERNEL uint32_t group_of(L label) const {
    if constexpr (sizeof(L) == 1) {
      if (boolean) label = label != 0 ? 1 : 0;
    }
    return label < limit ? static_cast<uint32_t>(label) : no_group;
  }
  // Returns the group of label i.
  ONEFOLD_KERNEL uint32_t group_at(M m, Size i) const {
    uint32_t group = no_group;
    with_type([&]<class L>() {
      const L label = m.template as<L>(at)[static_cast<int64_t>(i) * apart];
      group = group_of(label);
    });
    return group;
  }
  // Calls f.operator()<L>(), where L is the unsigned type of the labels' size.
  template <class F>
  ONEFOLD_KERNEL void with_type(F f) const {
    if (bytes == 8) {
      f.template operator()<uint64_t>();
    } else if (bytes == 4) {
      f.template operator()<uint32_t>();
    } else if (bytes == 2) {
      f.template operator()<uint16_t>();
    } else {
      f.template operator()<uint8_t>();
    }
  }
};

// Returns the label that most lanes have, among those of every fourth lane, or none: a label of
// fewer than four lanes is as quick to add lane by lane.
template <class M>
ONEFOLD_KERNEL uint32_t hot_of(M m, uint32_t mine) {
  uint32_t hot = no_group;
  int most = 3;
  ONEFOLD_UNROLL
  for (unsigned l = 0; l < 32; l += 4) {
    const uint32_t label = m.shuffle(mine, l);
    const int n = m.count_bits(m.ballot(mine == label));
    if (label == no_group || n <= most) continue;
    hot = label;
    most = n;
  }
  return hot;
}

}  // namespace onefold::kernel
