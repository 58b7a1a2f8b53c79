// The threads and blocks of a launch on the simulated machine.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onefold/machine/sim/host.hpp"
#include "onefold/machine/sim/shadow.hpp"

namespace onefold::sim {

// Runs the text of one thread: on a fibre, or step by step where an interpreter keeps the thread's
// state itself.
class Execution {
 public:
  virtual ~Execution() = default;
  virtual void begin() = 0;  // forgets where it stands: the next call of go_on starts the text
  // Runs to the thread's next stop, or to the end of its text.
  virtual void go_on() = 0;
  // At a stop, called by the engine inside go_on. A fibre comes back when the thread goes on; an
  // interpreter comes back at once, and go_on returns soon.
  virtual void leave() = 0;
};
// What an interpreter is left by when its thread ends at a stop.
struct Ended {};

enum class Stop : uint8_t {
  ready,
  access,    // lock-step: before each access
  log_full,  // a stop that orders nothing
  waiting,   // reads the same words again and again, and nobody changes them
  collective,
  block_barrier,
  named_barrier,  // of some of the block's threads
  grid_barrier,
  bulk,  // waits for a copy
  done,
};

struct Block;

// What those who drew on a word by atomics have released there.
using Words = std::unordered_map<const Cell*, std::shared_ptr<const Clock>>;

// What a thread touches that goes on and on without a stop. Few words whose values stay, and no
// store: it waits for somebody.
struct Watch {
  struct Word {
    const Space* space = nullptr;
    std::size_t offset = 0;
    uint64_t value = 0;
  };
  std::array<Word, 8> words;
  unsigned used = 0;
  unsigned same = 0;     // accesses that found what was there before
  bool waiting = false;  // has let others go first, and has seen no change since
};

struct Lane {
  Lane(Block& b, unsigned t, std::unique_ptr<Execution> e)
      : execution(std::move(e)), block(&b), thread(t) {}

  std::unique_ptr<Execution> execution;
  Block* block;
  unsigned thread;
  uint32_t site = 0;    // where it stands, as a number
  uint32_t order = 0;   // the same, in text order
  uint32_t last = ~0u;  // its last access, branch or warp-wide step
  uint32_t epoch = 0;   // of sync_warp and fences
  uint32_t events = 0;  // since its last stop or change
  Stop stop = Stop::done;
  uint8_t access_at = 0;             // after which of its stops an access goes on; 0: none
  std::size_t copied = 0;            // bytes of an asynchronous copy that are read
  unsigned strikes = 0;              // accesses out of bounds
  unsigned barrier = 0, parity = 0;  // at a bulk wait
  Exchange exchange;                 // at a collective, and
  uint32_t passed = 0;               // lanes that passed it since with another mask
  uint32_t way = 0;                  // hash of its branches since it last met its warp
  uint32_t unsure = 0;               // what its last look at the active lanes gave, if they came
                                     // different ways
  Watch watch;

  Known fenced;                               // what the last fence released
  Known fenced_here;                          // the same of fences that only the block sees, too
  Known met;                                  // what barriers of parts of the block told
  std::shared_ptr<const Clock> pending;       // what the last atomics brought, until a fence
  std::shared_ptr<const Clock> pending_here;  // the same, of its own block
  Clock clock;                                // what this thread acquired since the last barrier
  uint64_t copies_seen = 0;                   // bit k % 64: has waited for copy k
  std::vector<Bulk> copying;                  // its own copies, not yet a group
  std::deque<std::vector<Bulk>> groups;       // and those that are; they land at a wait
  std::array<uint32_t, 32> warp_known{};      // by lane: accesses of smaller epochs are ordered

  unsigned lane() const { return thread % 32; }
};

// A bulk copy of a block. Copy 0 never lands: it stands for what threads copy for themselves, of
// which nothing may be touched before their wait.
struct Copy {
  Bulk bulk;
  uint32_t landed_phase = 0;  // 0: not yet
};

struct BulkBarrier {
  std::deque<unsigned> pending;  // numbers of copies
  std::vector<unsigned> landed;
};

// A barrier of some of a block's threads, who name it by its number and say how many they are.
struct NamedBarrier {
  struct Arrival {
    Lane* lane = nullptr;
    uint32_t site = 0;
    Stamp when;
    bool waits = false;
  };
  unsigned come = 0;  // threads; those that the last warp lacks count as there
  bool full = false;  // all have come; those who wait go on after their warp's turn
  std::vector<Arrival> arrivals;
  Known known;  // what they did and knew
  Clock clock;  // the same of other blocks
  // Who came the last time, and how many warps they were.
  std::vector<Stamp> before;
};

struct SharedArray {
  const void* tag = nullptr;
  Space space;
  Zeros<Cell> cells;
};

struct Block {
  unsigned index = 0;
  uint32_t first_phase = 0, phase = 0;
  std::vector<std::unique_ptr<Lane>> lanes;
  std::vector<uint32_t> warp_floor;  // by warp: accesses of smaller epochs are ordered
  bool partial_syncs = false;        // lanes know of one another one by one
  std::vector<std::byte> memory;     // shared
  std::size_t used = 0;
  std::vector<std::unique_ptr<SharedArray>> arrays;
  Clock clock;  // what all of the block knows of other blocks
  Words words;  // of its shared memory, and of global memory what only the block sees
  std::array<NamedBarrier, 16> named;
  bool woken = false;  // a named barrier has let threads go on
  uint16_t full = 0;   // named barriers that all have come to
  std::vector<Copy> copies;
  std::array<BulkBarrier, 8> barriers;
  std::array<unsigned, 8> completed{};
};

}  // namespace onefold::sim
