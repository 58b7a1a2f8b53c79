// The interface of the simulated machine for kernels. Kernels include only this; the machine itself
// is behind virtual calls, so that a rung compiles in a fraction of a second.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/machine/sim/site.hpp"

namespace onefold::sim {

struct Cell;
struct Readers;
struct Atomics;

// A stretch of memory with its shadow: one cell an element of `grain` bytes.
struct Space {
  std::byte* base = nullptr;
  std::size_t bytes = 0;
  uint32_t grain = 4;
  uint16_t id = 0;
  bool shared = false;
  std::size_t bank_base = 0;  // where it begins in global or shared memory
  Cell* cells = nullptr;
  Readers* readers = nullptr;  // by element; null until an element has more than one
  Atomics* atomics = nullptr;  // by element; null until there is one
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
  gather,  // every lane gets what each lane brings
  active   // who is here when nobody else can come: a vote that needs no mask
};

// The input and the result of a lane in a warp-wide operation.
struct Exchange {
  Collective kind = Collective::sync;
  uint32_t mask = ~0u;
  bool trusted = false;   // of a library: its mask is right
  unsigned argument = 0;  // distance or lane; for a vote the lane's own answer
  std::byte* value = nullptr;
  std::size_t bytes = 0;
  void (*fold)(void* into, const void* other) = nullptr;
  uint64_t* all = nullptr;      // gather: by lane, and
  uint32_t* present = nullptr;  // which lanes took part
};

// An asynchronous copy into shared memory. A bulk copy completes one phase of its barrier; a
// thread's own has none.
struct Bulk {
  Space* to = nullptr;
  uint64_t to_at = 0;
  Space* from = nullptr;
  uint64_t from_at = 0;
  std::size_t bytes = 0;
  unsigned barrier = 0;
  std::size_t zeros = 0;  // bytes after those, of a thread's own copy
};

struct Place {
  unsigned thread = 0, block = 0, threads = 0, blocks = 0;
};

class Host {
 public:
  virtual Place place() = 0;
  // Logs and checks an access; false if it is out of bounds and must not touch memory.
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

// The machine whose kernel runs on this OS thread.
inline constinit thread_local Host* host = nullptr;

}  // namespace onefold::sim
