// Who touched an element, and whether two touches are ordered: races are found by happens-before,
// not by luck.
//
//   one thread       program order
//   one warp         sync_warp (shuffles order nothing)
//   one block        the block barrier
//   blocks           fence, then atomic: release; atomic, then fence: acquire; the grid barrier
//   launches         one after another
//   bulk copies      ordered for a thread that waited for them, and for its block after a barrier
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace onefold::sim {

// When and by whom. A phase is the time of one block between two of its barriers; phases are
// numbered over the whole run, so two stamps of one phase are of one block.
struct Stamp {
  uint64_t phase : 31 = 0;  // 0: never; 1: before the first launch
  uint64_t thread : 11 = 0;
  uint64_t warp_epoch : 20 = 0;
  uint64_t atomic : 1 = 0;
  uint64_t copy : 1 = 0;  // by a bulk copy, warp_epoch is its number

  unsigned warp() const { return static_cast<unsigned>(thread) / 32; }
};
static_assert(sizeof(Stamp) == 8);

constexpr Stamp stamp(uint32_t phase, unsigned thread, uint32_t warp_epoch) {
  return {
      .phase = phase & 0x7fffffffu, .thread = thread & 0x7ffu, .warp_epoch = warp_epoch & 0xfffffu};
}

// Three readers of the running block: two lanes of one warp and a lane of another. With two, a race
// can be missed. The fourth is the last reader of another block.
struct Cell {
  Stamp write;
  Stamp read[4];
  uint32_t write_site = 0, read_site = 0;
};

// What a block knows of another: all that it did before `phase`, and what `thread` did in it.
struct Known {
  uint32_t phase = 0;
  uint32_t thread = ~0u;

  bool covers(Stamp s) const { return s.phase < phase || (s.phase == phase && s.thread == thread); }
  void join(const Known& o) {
    if (o.phase > phase) *this = o;
  }
};

using Clock = std::vector<Known>;  // by block

inline void join(Clock& into, const Clock& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) into[i].join(from[i]);
}

// Puts `me` among the readers of `c`. `apart(s)` says whether the stamp is unordered with `me`,
// `same_block(s)` whether it is of my block.
template <class Apart, class SameBlock>
void note_reader(Cell& c, Stamp me, Apart apart, SameBlock same_block) {
  Stamp& first = c.read[0];
  if (first.phase != 0 && !same_block(first) && apart(first)) {
    c.read[3] = first;
    first = me;
    c.read[1] = c.read[2] = Stamp{};
  } else if (!apart(first)) {
    first = me;
  } else if (first.warp() == me.warp()) {
    c.read[1] = me;
  } else {
    c.read[2] = first;
    first = me;
    c.read[1] = Stamp{};
  }
}

}  // namespace onefold::sim
