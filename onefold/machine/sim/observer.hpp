// An observer is called for each event of a run, in order. The lab draws small blocks with it. The
// value of a store or an atomic is in memory only at the next call.
#pragma once

#include <span>

#include "onefold/machine/sim/log.hpp"
#include "onefold/machine/sim/report.hpp"

namespace onefold::sim {

class Observer {
 public:
  virtual void launch(unsigned grid, unsigned block) = 0;
  virtual void block(unsigned block) = 0;  // a block begins; its shared memory is unwritten
  // A thread makes a load, store, atomic, branch or fence.
  virtual void event(unsigned block, unsigned thread, const Event& e, Space* space, Site at) = 0;
  // All threads of a warp that can run have come to a stop.
  virtual void pause(unsigned block, unsigned warp) = 0;
  // A warp-wide step, before lanes get results. lanes[k] is null if lane k takes no part.
  virtual void meet(unsigned block, unsigned warp, std::span<const Exchange* const, 32> lanes,
                    Site at) = 0;
  // A block passes a barrier at which `threads` waited.
  virtual void barrier(unsigned block, std::span<const unsigned> threads, Site at) = 0;
  virtual void grid_barrier() = 0;
  virtual void landed(unsigned block, const Bulk& copy) = 0;  // a bulk copy's bytes have arrived
  // A flaw of the event or (absent_lane) of the warp-wide step before this call, or of the step or
  // barrier that follows a pause. `flaw` is this occurrence; if it is out of bounds, its element is
  // outside of `space`.
  virtual void flaw(const Flaw& flaw, Space* space) = 0;

 protected:
  ~Observer() = default;
};

}  // namespace onefold::sim
