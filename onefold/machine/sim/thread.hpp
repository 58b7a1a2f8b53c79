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

// Runs the code of one thread: on a fibre, or step by step if an interpreter keeps the thread's
// state itself.
class Execution {
 public:
  virtual ~Execution() = default;
  virtual void begin() = 0;  // the next call of go_on starts the code from its beginning
  // Runs to the thread's next stop, or to the end of its code.
  virtual void go_on() = 0;
  // Called by the engine, inside go_on, at a stop. For a fibre it returns when the thread
  // continues; for an interpreter it returns at once, and go_on then returns soon.
  virtual void leave() = 0;
};
// Thrown through an interpreter to leave it, if its thread ends at a stop.
struct ThreadEnd {};

enum class Stop : uint8_t {
  ready,
  access,    // lock-step: before each access
  log_full,  // the log is full; orders nothing
  choice,    // before a strong access, where blocks interleave
  waiting,   // reads words that nobody changes
  collective,
  block_barrier,
  named_barrier,  // a barrier of some of the block's threads
  grid_barrier,
  bulk,  // waits for an asynchronous copy
  done,
};

struct Block;

// For each word, what atomics of other threads have released there.
using Words = std::unordered_map<const Cell*, std::shared_ptr<const Clock>>;

// The reads of a thread since it last stopped: a thread that reads a few words again and again,
// whose values do not change, and stores nothing, waits for another thread.
struct Watch {
  struct Word {
    const Space* space = nullptr;
    std::size_t offset = 0;
    uint64_t value = 0;
    unsigned bytes = 0;
  };
  std::array<Word, 8> words;
  unsigned used = 0;
  unsigned same = 0;     // accesses that read the same value as before
  bool waiting = false;  // it let others run, and has seen no change since
};

struct Lane {
  Lane(Block& b, unsigned t, std::unique_ptr<Execution> e)
      : execution(std::move(e)), block(&b), thread(t) {}

  std::unique_ptr<Execution> execution;
  Block* block;
  unsigned thread;
  uint32_t site = 0;    // its present source location, as a number
  uint32_t order = 0;   // the same location's place in source order
  uint32_t last = ~0u;  // source location of its last access, branch or warp-wide step
  uint32_t epoch = 0;   // counts sync_warp and fences
  uint32_t events = 0;  // events since its last stop or change
  Stop stop = Stop::done;
  uint8_t access_at = 0;             // the kind of stop after which the access is made; 0: none
  std::size_t copied = 0;            // bytes of an asynchronous copy that were read
  unsigned strikes = 0;              // accesses out of bounds so far
  unsigned barrier = 0, parity = 0;  // of the bulk barrier that it waits at
  Exchange exchange;                 // of the warp-wide operation that it waits at
  uint32_t passed = 0;               // lanes that have passed it with another mask
  uint32_t way = 0;     // hash of its branches since all lanes of its warp were last together
  uint32_t unsure = 0;  // lanes that its last look at the active lanes
                        // found, if they had taken different branches
  Watch watch;
  // The word of its last strong access, where blocks interleave.
  struct Poll {
    const Space* space = nullptr;
    std::size_t offset = 0;
    uint64_t value = 0;
    unsigned bytes = 0;
    uint32_t site = ~0u;
    bool repeated = false;  // the access before was the same, and saw the same value
  };
  Poll poll;

  ClockEntry fenced;                          // what its last fence released
  ClockEntry fenced_here;                     // the same, with fences of block scope
  ClockEntry met;                             // what it learned at barriers of part of the block
  std::shared_ptr<const Clock> pending;       // what its last atomics acquired; valid after a fence
  std::shared_ptr<const Clock> pending_here;  // the same, within its own block
  Clock clock;                                // what it has acquired since the last barrier
  uint64_t copies_seen = 0;                   // bit k % 64: it has waited for copy k
  std::vector<Bulk> copying;                  // its own copies that are in no group yet
  std::deque<std::vector<Bulk>> groups;       // its groups of copies; they arrive at a wait
  std::array<uint32_t, 32> warp_known{};      // by lane: accesses of smaller epochs are ordered

  unsigned lane() const { return thread % 32; }
};

// A bulk copy of a block. Copy 0 never arrives: it stands for all copies that threads make for
// themselves, whose source and destination nobody may access before their wait.
struct Copy {
  Bulk bulk;
  uint32_t landed_phase = 0;  // 0: not arrived
};

struct BulkBarrier {
  std::deque<unsigned> pending;  // numbers of copies
  std::vector<unsigned> landed;
};

// A barrier of some of a block's threads; each call names its number and its number of threads.
struct NamedBarrier {
  struct Arrival {
    Lane* lane = nullptr;
    uint32_t site = 0;
    Stamp when;
    bool waits = false;
  };
  unsigned come = 0;  // arrived threads; lanes that the last warp lacks are counted, too
  bool full = false;  // all have arrived; those who wait continue after their warp's turn
  std::vector<Arrival> arrivals;
  ClockEntry known;  // the events of the arrived threads, and those that they are ordered after
  Clock clock;       // the same for events of other blocks
  // Stamps of the threads that arrived in the last round, and the number of their warps.
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
  std::vector<uint32_t> warp_floor;  // for each warp: accesses of smaller epochs are ordered
  // Some sync_warp had fewer lanes than the warp: then lanes are ordered one by one
  bool partial_syncs = false;
  std::vector<std::byte> memory;  // shared memory
  std::size_t used = 0;
  std::vector<std::unique_ptr<SharedArray>> arrays;
  Clock clock;  // what the whole block knows of other blocks
  Words words;  // for shared memory, and for block-scope accesses to global memory
  std::array<NamedBarrier, 16> named;
  uint32_t open = 0;   // a bit for each warp that has threads at a choice, or that wait
  bool woken = false;  // a named barrier has let threads continue
  uint16_t full = 0;   // a bit for each named barrier at which all threads have arrived
  std::vector<Copy> copies;
  std::array<BulkBarrier, 8> barriers;
  std::array<unsigned, 8> completed{};
};

}  // namespace onefold::sim
