// Reads labels of any type and stride as numbers of groups.
#pragma once

#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

inline constexpr uint32_t no_group = ~0u;

// What sums without sorting (sums.hpp) came to, for the launches behind them.
struct Verdict {
  enum : int { answered, refused, bad_label };
};

template <class M>
struct LabelArray {
  In<M, uint8_t> at;
  int64_t apart = 1;     // labels, from one to the next
  uint32_t bytes = 8;    // of each
  bool boolean = false;  // any byte but 0 is 1
  // Labels below it, read without a sign, are numbers of groups. At most 2^(bits - 1) where labels
  // have a sign, so negative ones are none.
  uint32_t limit = 0;

  template <class L>
  ONEFOLD_KERNEL uint32_t group_of(L label) const {
    if constexpr (sizeof(L) == 1) {
      if (boolean) label = label != 0 ? 1 : 0;
    }
    return label < limit ? static_cast<uint32_t>(label) : no_group;
  }
  // The group of label i.
  ONEFOLD_KERNEL uint32_t group_at(M m, Size i) const {
    uint32_t group = no_group;
    with_type([&]<class L>() {
      const L label = m.template as<L>(at)[static_cast<int64_t>(i) * apart];
      group = group_of(label);
    });
    return group;
  }
  // Calls f.operator()<L>() with the type of so many bytes, without a sign.
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

// The label that most lanes of the warp have among those of every fourth lane, or none: fewer than
// four are as well off one by one.
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
