// Merges the parts of an answer. Each block stores its totals in memory, fences and draws a ticket;
// the block that draws the last ticket merges all totals.
#pragma once

#include "onefold/cuda/kernel/workspace.hpp"

namespace onefold::kernel {

// Memory that the blocks of a launch share.
template <class M>
struct Scratch {
  Out<M, uint32_t> tickets;    // counters of arrivals, one an answer; zero between launches
  Out<M, int64_t> left;        // totals of parts
  Out<M, uint32_t> undecided;  // UndecidedWord, then one bit an answer; zero between folds
};
// Words: the number of undecided answers; how many blocks of the next kernel have ended; whether
// another walk must fold all answers (Deal::if_all_undecided); the bits.
enum UndecidedWord : int { some_undecided, ended_blocks, all_undecided, undecided_words };
// The count of undecided answers is exact below this number; else it says "at least so many".
inline constexpr uint32_t most_counted = 64;

// Marks answer i, in the walk's order, as undecided, for the kernel that runs next (undecided.hpp).
template <class M>
ONEFOLD_KERNEL void note_undecided(M m, const Scratch<M>& scratch, Size i) {
  // A walk that folds all answers again may find a bit of the walk before it.
  const auto bits = scratch.undecided + int{undecided_words};
  if ((load_relaxed<uint32_t>(m, bits + i / 32, 0) >> i % 32 & 1) != 0) return;
  m.add(scratch.undecided, undecided_words + i / 32, 1u << i % 32);
  const uint32_t some = load_relaxed<uint32_t>(m, scratch.undecided, some_undecided);
  if (some < most_counted) m.add(scratch.undecided, Size{some_undecided}, 1u);
}

// Returns the number of undecided answers, or a number from `most_counted` on. If there are none,
// clears the word that asks for another walk, as end_undecided() does.
template <class M>
ONEFOLD_KERNEL uint32_t how_many_undecided(M m, const Scratch<M>& scratch) {
  const uint32_t any = load_relaxed<uint32_t>(m, scratch.undecided, some_undecided);
  if (any == 0 && m.block() == 0 && m.thread() == 0) {
    scratch.undecided[int{all_undecided}] = 0u;
  }
  return any;
}

// Counts the arrival of a block whose threads have stored their totals. Returns whether it is the
// last of `parts` blocks; if so, it sets the counter to 0.
template <class M>
ONEFOLD_KERNEL bool is_last_part(M m, const Scratch<M>& scratch, Size ticket, uint32_t parts) {
  auto told = shared<unsigned, 1, struct told_>(m);
  m.sync();
  if (static_cast<unsigned>(m.thread()) == 0) {
    m.fence();
    const bool last = m.add(scratch.tickets, ticket, 1u) == parts - 1;
    told[0] = last ? 1u : 0u;
    m.fence();
    if (last) scratch.tickets[ticket] = 0u;
  }
  m.sync();
  const unsigned last = told[0];
  m.sync();
  return last != 0;
}

// Adds up the totals of `parts` parts, which `threads` threads read. A warp gets the sum of those
// that its lanes have read.
//   apart, stride   distance of the totals of two parts, and of the words of one total
template <class All, class M>
ONEFOLD_KERNEL All sum_of_parts(M m, Out<M, int64_t> from, Size apart, Size stride, uint32_t parts,
                                unsigned t, unsigned threads) {
  All total;
  constexpr unsigned at_once = All::words <= 4 ? 4 : 1;
  ONEFOLD_NO_UNROLL
  for (Size p = t; p < parts; p += threads * at_once) {
    All some[at_once];
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < at_once; ++u) {
      if (p + threads * u < parts) some[u] = All::load(from + (p + threads * u) * apart, stride);
    }
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < at_once; ++u) total.add(some[u]);
  }
  ONEFOLD_NO_UNROLL
  for (unsigned d = 16; d > 0; d /= 2) total.add(total.across(m, d));
  return total;
}

// Merges a warp's total of one part with those of the others. Returns true in the warp that arrives
// last; `total` is then that of all parts.
template <class All, class M>
ONEFOLD_KERNEL bool meet_parts(M m, const Scratch<M>& scratch, uint32_t parts, Size answer,
                               uint32_t part, All& total) {
  const unsigned lane = static_cast<unsigned>(m.thread()) % 32;
  const auto laid = scratch.left + answer * parts * All::words;
  unsigned drawn = 0;
  if (lane == 0) {
    total.store(laid + Size{part} * All::words, 1);
    m.fence();
    drawn = m.add(scratch.tickets, answer, 1u);
  }
  const bool last = m.shuffle(drawn, 0) == parts - 1;
  if (last) {
    // Each lane reads the counter itself, so that its later reads see what all parts have stored.
    load_relaxed<uint32_t>(m, scratch.tickets + answer, 0);
    m.fence();
    m.sync_warp();
    if (lane == 0) scratch.tickets[answer] = 0u;
    total = sum_of_parts<All>(m, laid, All::words, 1, parts, lane, 32);
  }
  return last;
}

}  // namespace onefold::kernel
