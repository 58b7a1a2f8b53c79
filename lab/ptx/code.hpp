// A kernel ready to run: instructions whose operands are slots of a thread's registers. Constants
// and what is fixed for a thread (%tid.x) have slots too, so that an operand is always a slot.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lab/ptx/module.hpp"
#include "lab/ptx/unset.hpp"
#include "onefold/machine/sim/engine.hpp"

namespace onefold::lab::ptx {

struct Thread;
struct Instruction;
using Handler = void (*)(Thread& t, const Instruction& i);

constexpr uint32_t no_slot = ~0u;

struct Instruction {
  Handler run = nullptr;
  uint32_t guard = no_slot;
  uint32_t guard_is = 1;         // the value that the guard must have
  std::array<uint32_t, 8> r{};   // slots: results first
  int64_t offset = 0;            // of an address
  uint32_t target = 0;           // of a branch; of others as they like
  uint8_t bytes = 0, count = 1;  // of a memory access: an element's, and how many
  uint8_t mode = 0;              // as the handler likes
  // From here on: how many instructions without a guard only compute. They neither stop nor jump.
  uint8_t plain = 0;
  bool sign = false, flag = false, strong = false;
  bool of_block = false;   // a fence, or an access with one, of the block's scope
  StateSpace space{};      // of a load or store
  bool by_fence = false;   // a volatile store: strong if its thread has passed a fence
  bool of_groups = false;  // a tile's own memory: what it does there is known to be right
  sim::Caller at{};        // without a file: the place has this number in the program
};

// What a slot holds when a thread begins.
enum class Special : uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_lt,
  lanemask_le,
  lanemask_gt,
  lanemask_ge,
  dynamic_shared,
  total_shared,
  reserved_shared,
  warp_size,
};

struct Code {
  std::string name;
  std::vector<Instruction> instructions;  // the last one returns
  uint32_t slots = 0;                     // of a frame
  std::vector<std::pair<uint32_t, uint64_t>> constants;
  std::vector<std::pair<uint32_t, Special>> specials;
  std::vector<std::pair<uint32_t, uint32_t>> locals, params;  // slots of addresses: offset
  std::size_t local_bytes = 0, param_bytes = 0;
  std::size_t local_used = 0;  // bytes of local_bytes that hold variables
  unsigned narrowest = 16;     // bytes of its accesses to global and shared memory
  bool scopes = false;         // has fences that only the block sees
  bool by_order = false;       // what it does may follow from who comes first, without a race
  std::vector<Flow> flows;     // by instruction
  std::vector<uint8_t> unset;  // by slot: what is so when a frame begins, a bit a byte
  bool reads_local = false;    // may do so
  struct Field {
    uint32_t offset = 0, bytes = 0;  // in the params of the frame
  };
  std::vector<Field> arguments, results;
};

// A call's function and where its arguments lie among the caller's params.
struct Call {
  const Code* code = nullptr;
  void (*host)(Thread& t, const Instruction& i, const Call& call) = nullptr;  // a library's
  std::vector<Code::Field> arguments, results;
};

// The call that an instruction makes; null: it makes none.
const Call* call_made_by(const Instruction& i);

// Addresses. A pointer's upper bits say where it leads: an array of global memory has 2^36 bytes
// to itself, so that one that runs away is still known by the array that it left.
constexpr uint64_t array_span = uint64_t{1} << 36;
constexpr uint64_t shared_window = uint64_t{1} << 60, local_window = uint64_t{1} << 61,
                   param_window = uint64_t{1} << 62, windows = uint64_t{7} << 60;

constexpr uint64_t constant_window = uint64_t{1} << 59;

// Function number k is at function_window + (k + 1) * function_step.
constexpr uint64_t function_window = uint64_t{1} << 58, function_step = 16;

struct Frame {
  const Code* code = nullptr;
  std::vector<uint64_t> registers;
  std::vector<uint8_t> unset;         // of each register, a bit a byte; where that is watched
  std::size_t local = 0, params = 0;  // where its own begin
  const Instruction* back = nullptr;  // in the caller
  const Call* call = nullptr;
};

class Running;

struct Thread {
  Running* running = nullptr;
  sim::Engine* engine = nullptr;
  uint64_t* r = nullptr;               // the registers of the frame on top
  const Instruction* code = nullptr;   // the first of its function
  const Instruction* ip = nullptr;     // the next; null: has ended, or is at a stop
  const Instruction* then = nullptr;   // at a stop: the next, and before it
  const Instruction* waits = nullptr;  // the one whose handler runs a second time, with `again`
  bool again = false;
  sim::Space* shared = nullptr;
  unsigned thread = 0, block = 0;
  uint64_t steps = 0;
  std::array<uint64_t, 16> votes{};  // how many bar.red so far, by barrier
  bool carry = false;
  uint64_t value = 0;                    // brought to a step of the warp, and taken from it
  std::array<uint64_t, 32> all{};        // what each lane has brought, where a step tells
  uint32_t here = 0;                     // the lanes that took part
  std::vector<std::byte> local, params;  // of all frames
  std::vector<uint8_t> local_unset, params_unset;  // by byte, where that is watched
  bool brought = false;                            // an unset value to a shuffle
  std::vector<Frame> frames;                       // kept for reuse
  std::size_t depth = 0;                           // of those in use

  Frame& frame() { return frames[depth - 1]; }
  bool stopped() const { return ip == nullptr; }
};

template <class T>
inline T get(const Thread& t, uint32_t slot) {
  T v;
  std::memcpy(&v, &t.r[slot], sizeof v);
  return v;
}
// A register holds what is written to it with zeros above; a signed value of fewer than 32 bits
// keeps its sign, since it may be read as a wider one.
template <class T>
inline void put(Thread& t, uint32_t slot, T v) {
  uint64_t bits = 0;
  std::memcpy(&bits, &v, sizeof v);
  t.r[slot] = bits;
}

}  // namespace onefold::lab::ptx
