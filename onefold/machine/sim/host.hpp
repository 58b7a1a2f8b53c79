// The interface through which kernels use the simulated machine. Kernels include only this. The
// machine itself is behind virtual calls, so a rung compiles in a fraction of a second.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/machine/sim/site.hpp"

namespace onefold::sim {

struct Cell;
struct Readers;
struct Atomics;

// A range of memory with its shadow: one cell for each element of `grain` bytes.
struct Space {
  std::byte* base = nullptr;
  std::size_t bytes = 0;
  uint32_t grain = 4;
  uint16_t id = 0;
  bool shared = false;
  std::size_t bank_base = 0;  // its position in global or shared memory
  Cell* cells = nullptr;
  Readers* readers = nullptr;  // one for each element; null until an element has several readers
  Atomics* atomics = nullptr;  // one for each element; null until there is an atomic
  const char* name = "";
};

enum class Kind : uint8_t { load, store, atomic, branch, fence };

enum class Collective : uint8_t {
  sync,
  shuffle_down,
  shuffle_up,
  shuffle_xor,
  shuffle,
  vote,
  fold,
  gather,  // every lane gets the values of all lanes
  active   // which lanes are active once no other can arrive: a vote without a mask
};

// A lane's input to a warp-wide operation, and its result.
struct Exchange {
  Collective kind = Collective::sync;
  uint32_t mask = ~0u;
  bool trusted = false;   // called by a library, whose mask is right
  unsigned argument = 0;  // a distance or a lane; for a vote the lane's vote
  std::byte* value = nullptr;
  std::size_t bytes = 0;
  void (*fold)(void* into, const void* other) = nullptr;
  uint64_t* all = nullptr;      // gather: the values, by lane
  uint32_t* present = nullptr;  // which lanes took part
};

// An asynchronous copy to shared memory. A bulk copy completes one phase of its barrier; a thread's
// own copy has no barrier.
struct Bulk {
  Space* to = nullptr;
  uint64_t to_at = 0;
  Space* from = nullptr;
  uint64_t from_at = 0;
  std::size_t bytes = 0;
  unsigned barrier = 0;
  std::size_t zeros = 0;  // number of zero bytes behind them (a thread's own copy)
};

struct Place {
  unsigned thread = 0, block = 0, threads = 0, blocks = 0;
};

class Host {
 public:
  virtual Place place() = 0;
  // Records and checks an access. Returns false if it is out of bounds, so it must not be made.
  virtual bool access(Space& space, uint64_t offset, unsigned bytes, Kind kind, Caller at) = 0;
  virtual bool branch(bool taken, Caller at) = 0;
  virtual bool inside(bool answer, Caller at) = 0;
  virtual void barrier(Caller at) = 0;
  virtual void grid_barrier(Caller at) = 0;
  virtual void exchange(const Exchange& e, Caller at) = 0;
  virtual void fence(Caller at) = 0;
  virtual Space& shared(const void* tag, std::size_t bytes, unsigned grain) = 0;
  virtual Space& shared_of_launch(unsigned grain) = 0;
  virtual void open_bulk(unsigned barrier, Caller at) = 0;
  virtual void copy_bulk(const Bulk& copy, Caller at) = 0;
  virtual void wait_bulk(unsigned barrier, unsigned parity, Caller at) = 0;
  virtual void copy_async(const Bulk& copy, Caller at) = 0;
  virtual void commit_copies() = 0;
  virtual void wait_copies(unsigned pending, Caller at) = 0;

 protected:
  ~Host() = default;
};

// The machine that runs a kernel on this OS thread.
inline constinit thread_local Host* host = nullptr;

}  // namespace onefold::sim
