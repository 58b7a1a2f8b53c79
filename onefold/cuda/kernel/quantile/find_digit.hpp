// Finds the bin of a histogram that contains a rank.
#pragma once

#include "onefold/cuda/kernel/schedule/nest.hpp"

namespace onefold::kernel {

// A bin, the rank within it, and how many keys it has.
struct FoundDigit {
  uint32_t digit = 0;
  uint64_t rank = 0, count = 0;
};

// Of the lanes' counts in order, the lane that contains a rank, and the rank within it.
template <class M>
ONEFOLD_KERNEL FoundDigit find_lane(M m, unsigned lane, uint64_t rank, uint64_t count) {
  uint64_t up_to = count;
  ONEFOLD_NO_UNROLL
  for (unsigned d = 1; d < 32; d *= 2) {
    const uint64_t other = m.shuffle_up(up_to, d);
    if (lane >= d) up_to += other;
  }
  const uint32_t before = m.ballot(up_to <= rank);
  const auto who = static_cast<unsigned>(m.count_bits(before));
  if (who == 32) return {32, rank - m.shuffle(up_to, 31), 0};
  return {who, rank - m.shuffle(up_to - count, who), m.shuffle(count, who)};
}

// Called by a whole warp, whose lanes all get the result.
//   bins    a multiple of 256
//   rank    below the sum of all counts
//   count   returns the count of a bin
template <class Count, class M>
ONEFOLD_KERNEL FoundDigit find_digit(M m, unsigned lane, uint32_t bins, uint64_t rank,
                                     Count count) {
  const uint32_t each = bins / 32;  // of a lane
  constexpr unsigned at_once = 8;
  uint64_t sum = 0;
  ONEFOLD_NO_UNROLL
  for (uint32_t k = 0; k < each; k += at_once) {
    uint64_t some[at_once];
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < at_once; ++u) some[u] = count(lane * each + k + u);
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < at_once; ++u) sum += some[u];
  }
  const FoundDigit group = find_lane(m, lane, rank, sum);
  FoundDigit found{0, group.rank, 0};
  ONEFOLD_NO_UNROLL
  for (uint32_t k = 0; k < each; k += 32) {
    uint64_t mine = 0;
    if (m.branch(k + lane < each)) mine = count(group.digit * each + k + lane);
    found = find_lane(m, lane, found.rank, mine);
    if (found.digit < 32) {
      found.digit += group.digit * each + k;
      break;
    }
  }
  return found;
}

}  // namespace onefold::kernel
