// A launch of PTX code on the simulated machine.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lab/ptx/code.hpp"

namespace onefold::lab::ptx {

struct Dim {
  unsigned x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Dim&) const = default;
};

using Gaps = std::vector<std::pair<uint64_t, uint64_t>>;  // bytes of no variable: from, to

// What all threads of a launch share.
class Running {
 public:
  Running(sim::Engine& e) : engine(e) {}
  Running(const Running&) = delete;

  sim::Engine& engine;
  const Code* code = nullptr;
  Dim grid, block;
  std::vector<std::byte> arguments;        // of the kernel, as its params lie
  std::vector<sim::Space*> arrays;         // number k begins at address (k + 1) * array_span
  std::vector<std::byte> constants;        // of .const variables
  std::span<const Code* const> functions;  // by address
  uint64_t grid_workspace = 0;             // of cooperative launches: its size, and a barrier
  std::size_t shared_bytes = 0;
  std::size_t dynamic_at = 0;   // where `extern __shared__` begins
  std::size_t gap_bytes = 0;    // that a GPU does not have
  std::size_t reserved_at = 0;  // shared memory of cooperative groups: the last of it
  unsigned shared_grain = 4;
  sim::Space nowhere{.grain = 1, .name = "no array"};
  Gaps gaps, constant_gaps;         // of shared memory, and of constants
  bool watches_unset = false;       // registers and local memory may be so
  std::size_t local_limit = 16384;  // bytes of a thread's stack

  uint64_t steps = 0;    // instructions of all threads that came to their end
  uint64_t longest = 0;  // of one of them
  std::string printed;
  std::string failure;  // why the launch was given up: a trap, an assertion

  uint64_t clock() { return ++clock_; }
  // The array of an address, which becomes the distance from its begin: half of its span lies
  // before it, so that a negative index is known by its array. Null: there is none.
  sim::Space* array_at(uint64_t& address) const {
    const uint64_t k = (address + array_span / 2) / array_span;
    if (k == 0 || k > arrays.size()) return nullptr;
    address -= k * array_span;
    return arrays[k - 1];
  }
  // A barrier in shared memory: its number on the machine, and the bytes that its phase waits for.
  struct MemoryBarrier {
    unsigned number = 0;
    uint32_t expected = 0;
    bool fenced = false;  // bulk copies see that it was made
  };
  std::map<std::pair<unsigned, uint64_t>, MemoryBarrier> barriers;  // by block and place
  void begin_launch() { votes_.clear(), barriers.clear(); }
  void launch(bool cooperative);
  [[noreturn]] void fail(Thread& t, const Instruction& i, const std::string& what);
  // Enters a function; false if the stack is full.
  void enter(Thread& t, const Code& code, const Instruction* back, const Call* call);
  void leave(Thread& t);
  std::string text_at(Thread& t, uint64_t address, std::size_t most = 4096);
  // Bytes at a generic address that the machine does not count: what printf reads. Null: outside.
  const std::byte* look(Thread& t, uint64_t address, std::size_t bytes);
  // Sums that come with a barrier: bar.red. While one is read the next may begin.
  struct Votes {
    uint64_t round = 0;
    unsigned yes = 0, all = 0;
  };
  Votes& votes(uint64_t barrier, uint64_t round) {
    Votes& v = votes_[{barrier, static_cast<unsigned>(round & 1)}];
    if (v.round != round) v = {.round = round};
    return v;
  }

 private:
  class Interpreter;

  Thread& take();
  void begin(Thread& t);
  void run(Thread& t);
  template <bool watches>
  [[gnu::always_inline]] void steps_of(Thread& t);
  uint64_t special(const Thread& t, Special s) const;

  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<Thread*> free_;
  uint64_t clock_ = 0;
  std::map<std::pair<uint64_t, unsigned>, Votes> votes_;
};

}  // namespace onefold::lab::ptx
