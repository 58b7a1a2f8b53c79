// The rungs that the simulated machine can run: all except calls of a library that needs a GPU.
#pragma once

#include <vector>

#include "lab/ladder.hpp"

namespace onefold::lab {

inline std::vector<const Entry*> simulated_rungs() {
  std::vector<const Entry*> list;
  for (const Entry* e : reduce_ladder()) {
    if (e->has_kernel() || e->host_kernel != nullptr) list.push_back(e);
  }
  return list;
}

}  // namespace onefold::lab
