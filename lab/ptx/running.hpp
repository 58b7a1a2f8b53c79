// Runs a launch of PTX code on the simulated machine.
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

// A number, or in several dimensions "(29, 0)", as the source has it.
std::string place_in(const Dim& all, uint64_t k);

constexpr const char* divides_by_zero = "divides by zero";

using Gaps = std::vector<std::pair<uint64_t, uint64_t>>;  // bytes of no variable: from, to

// The data that all threads of a launch share.
class Running {
 public:
  Running(sim::Engine& e) : engine(e) {}
  Running(const Running&) = delete;

  sim::Engine& engine;
  const Code* code = nullptr;
  Dim grid, block;
  std::vector<std::byte> arguments;  // the kernel's arguments, laid out as its params
  std::vector<sim::Space*> arrays;   // array k begins at address (k + 1) * array_span
  struct Given {
    uint64_t begin, end;
    sim::Space* space;
  };
  std::vector<Given> given;                // arrays whose addresses the caller chose
  std::vector<std::byte> constants;        // contents of .const variables
  std::span<const Code* const> functions;  // by address
  uint64_t grid_workspace = 0;             // of cooperative launches: its size, and a barrier
  unsigned registers = 0;                  // of a thread, an estimate
  std::size_t shared_bytes = 0;
  std::size_t dynamic_at = 0;   // offset of `extern __shared__`
  std::size_t gap_bytes = 0;    // gaps, which a GPU does not have
  std::size_t reserved_at = 0;  // shared memory of cooperative groups: the last of it
  unsigned shared_grain = 4;
  sim::Space nowhere{.grain = 1, .name = "no array"};
  Gaps gaps, constant_gaps;         // gaps in shared memory, and in constants
  bool as_written = false;          // compiled without optimisation
  bool watches_unset = false;       // registers and local memory are watched for unset values
  std::size_t local_limit = 16384;  // size of a thread's stack

  uint64_t steps = 0;                  // instructions of all threads that have ended
  uint64_t longest = 0;                // the most of one thread
  uint64_t flops = 0;                  // of floats, by all threads that have ended
  std::map<sim::Site, uint64_t> lost;  // threads whose last atomicCAS failed, by its place
  std::string printed;
  std::string failure;  // why the launch was given up: a trap, an assertion

  uint64_t clock() { return ++clock_; }
  // Finds an address's array, and makes the address the distance from the array's beginning. Half
  // of a span comes before it, for negative indices. Null: there is no array.
  sim::Space* array_at(uint64_t& address) const {
    for (const Given& g : given) {
      if (address < g.begin || address >= g.end) continue;
      address -= g.begin;
      return g.space;
    }
    const uint64_t k = (address + array_span / 2) / array_span;
    if (k == 0 || k > arrays.size()) return nullptr;
    address -= k * array_span;
    return arrays[k - 1];
  }
  // A barrier in shared memory: its number on the machine, and the bytes that its phase expects.
  struct MemoryBarrier {
    unsigned number = 0;
    uint32_t expected = 0;
    bool fenced = false;  // bulk copies see its initialisation
  };
  std::map<std::pair<unsigned, uint64_t>, MemoryBarrier> barriers;  // by block and address
  void begin_launch() { votes_.clear(), barriers.clear(); }
  void launch(bool cooperative);
  [[noreturn]] void fail(Thread& t, const Instruction& i, const std::string& what);
  // Enters a function, unless the stack is full.
  void enter(Thread& t, const Code& code, const Instruction* back, const Call* call);
  void leave(Thread& t);
  std::string text_at(Thread& t, uint64_t address, std::size_t most = 4096);
  // Returns bytes at a generic address without counting an access, for printf. Null: outside.
  const std::byte* look(Thread& t, uint64_t address, std::size_t bytes);
  // Sums that belong to barriers (bar.red). The next one may begin while one is still read.
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

  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<Thread*> free_;
  uint64_t clock_ = 0;
  std::map<std::pair<uint64_t, unsigned>, Votes> votes_;
};

}  // namespace onefold::lab::ptx
