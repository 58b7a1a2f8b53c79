// Gathers pieces on several threads, each into its own states.
#pragma once

#include <memory>
#include <mutex>

#include "onefold/engine/group/state_table.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::io {

// Calls f(i, state) for all pieces; each thread has its own states, which are merged at the end.
template <class F>
void in_own_states(const Plan& plan, StateTable& states, Size pieces, int threads, F f) {
  std::mutex mutex;
  std::vector<std::unique_ptr<StateTable>> idle;
  in_threads(pieces, threads, [&](std::size_t i) {
    std::unique_ptr<StateTable> mine;
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        mine = std::move(idle.back());
        idle.pop_back();
      }
    }
    if (mine == nullptr) mine = std::make_unique<StateTable>(plan, states.size());
    f(i, (*mine)[0]);
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(mine));
  });
  for (const auto& s : idle) {
    for (Size k = 0; k < states.size(); ++k) {
      merge(states[k], (*s)[k], plan.layout, plan.dtype);
    }
  }
}

}  // namespace onefold::io
