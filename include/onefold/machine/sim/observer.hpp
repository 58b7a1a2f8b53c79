// An observer is called for each event of a run, in order; it serves to draw small blocks. The
// value of a store or an atomic is in memory only at the next call.
#pragma once

#include <span>

#include "onefold/machine/sim/log.hpp"
#include "onefold/machine/sim/report.hpp"

namespace onefold::sim {

class Observer {
 public:
  virtual void launch(unsigned grid, unsigned block) = 0;
  virtual void block(unsigned block) = 0;  // begins, its shared memory unwritten
  // A load, store, atomic, branch or fence of one thread.
  virtual void event(unsigned block, unsigned thread, const Event& e, Space* space, Site at) = 0;
  // Every thread of a warp that can run has come to a stop.
  virtual void pause(unsigned block, unsigned warp) = 0;
  // A warp-wide step, before the lanes get anything: by lane, null where a lane takes no part.
  virtual void meet(unsigned block, unsigned warp, std::span<const Exchange* const, 32> lanes,
                    Site at) = 0;
  // A block passes a barrier: the threads that waited.
  virtual void barrier(unsigned block, std::span<const unsigned> threads, Site at) = 0;
  virtual void grid_barrier() = 0;
  virtual void landed(unsigned block, const Bulk& copy) = 0;  // its bytes are there now
  // Of the event before it, of the warp-wide step before it (absent_lane), or of the step or
  // barrier that comes after a pause. `flaw` is this occurrence; its element is outside of `space`
  // where it is out of bounds.
  virtual void flaw(const Flaw& flaw, Space* space) = 0;

 protected:
  ~Observer() = default;
};

}  // namespace onefold::sim
