// Panels of which a mask or a policy leaves elements out: copied, with what changes no answer in
// place of those, and counted.
#pragma once

#include "backend/cpu/panel.hpp"

namespace onefold::cpu_backend {

// `outer` runs of `inner` elements, `run` bytes apart, to runs without gaps.
struct TakenCopy {
  Size outer, inner;
  int64_t run;
  uint64_t greatest;                // an element whose magnitude has greater bits is left out
  uint64_t fill;                    // its bits instead
  const std::byte* mask = nullptr;  // and one whose byte is 0; null: none
  int64_t mask_run = 0;
};

struct TakenWays {
  // `to` has room for 64 bytes behind the last element. taken: how many are, of each run, or by
  // column of fewer than 128 runs.
  using Copy = void (*)(const std::byte* x, const TakenCopy&, std::byte* to, uint32_t* taken);
  Copy (*copy)(Size bytes, bool by_column);
};
// Null where a target has none.
const TakenWays* taken_ways(Target target);

}  // namespace onefold::cpu_backend
