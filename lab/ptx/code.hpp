// A kernel ready to run. Operands of instructions are slots: registers of a thread. Constants and
// values that are fixed for a thread (%tid.x) have slots, too.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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
  std::array<uint32_t, 8> r{};   // slots of operands; results come first
  int64_t offset = 0;            // added to an address
  uint32_t target = 0;           // of a branch; other instructions may use it otherwise
  uint8_t bytes = 0, count = 1;  // memory access: bytes of an element, and number of elements
  uint8_t mode = 0;              // its meaning depends on the handler
  // How many instructions, from this one on, have no guard and only compute: no stop and no jump.
  uint8_t plain = 0;
  uint8_t flops = 0;
  uint16_t plain_flops = 0;  // of the instructions that `plain` counts
  bool sign = false, flag = false, strong = false;
  bool of_block = false;  // a fence, or an access with one, that has block scope
  StateSpace space{};     // for a load or store
  // Whether the order of threads decides its result, or what it leaves.
  enum class Decides : uint8_t { no, if_read, yes } decides = Decides::no;
  bool by_fence = false;   // a volatile store, which is strong once its thread has executed a fence
  bool of_groups = false;  // memory of a tile, known to be right
  bool partly = false;     // it needs less than it reads: a wide load, an exchange
  uint32_t used = ~0u;     // bytes of a load that are used, the lowest bit being the first byte
  bool exchanges = false, compares = false;  // atomicExch, atomicCAS
  sim::Caller at{};  // without a file: the number of the location in the program
};

// A register whose value is fixed when a thread begins.
class Running;
struct Special {
  std::string_view name;
  uint64_t (*value)(const Running& run, const Thread& t);
};
extern const std::span<const Special> specials;

struct Code {
  std::string name;
  std::vector<Instruction> instructions;  // the last one returns
  uint32_t slots = 0;                     // number of slots of a frame
  std::vector<std::pair<uint32_t, uint64_t>> constants;
  std::vector<std::pair<uint32_t, const Special*>> specials;
  std::vector<std::pair<uint32_t, uint32_t>> locals, params;  // slots of addresses: offset
  std::size_t local_bytes = 0, param_bytes = 0;
  std::size_t local_used = 0;  // how many of the local_bytes hold variables
  unsigned narrowest = 16;     // bytes of its narrowest access to global or shared memory
  bool scopes = false;         // has fences with block scope
  bool by_order = false;       // results may depend on which thread is first, without a race
  std::vector<Flow> flows;     // one for each instruction
  std::vector<uint8_t> unset;  // by slot: bytes unset when a frame begins, a bit each
  std::vector<uint8_t> words;  // by slot: registers of 32 bits; none for predicates
  Liveness live;
  bool reads_local = false;  // may read unset local memory
  struct Field {
    uint32_t offset = 0, bytes = 0;  // within the frame's params
  };
  std::vector<Field> arguments, results;
};

// The function of a call, and where its arguments are among the caller's params.
struct Call {
  const Code* code = nullptr;
  void (*host)(Thread& t, const Instruction& i, const Call& call) = nullptr;  // a library's
  std::vector<Code::Field> arguments, results;
};

// Returns the call that an instruction makes; null: none.
const Call* call_made_by(const Instruction& i);

// Addresses. A pointer's upper bits tell where it points: each array of global memory has a range
// of 2^36 bytes, so a pointer that leaves an array still shows which one.
constexpr uint64_t array_span = uint64_t{1} << 36;
constexpr uint64_t shared_window = uint64_t{1} << 60, local_window = uint64_t{1} << 61,
                   param_window = uint64_t{1} << 62, windows = uint64_t{7} << 60;

constexpr uint64_t constant_window = uint64_t{1} << 59;

// Function number k has the address function_window + (k + 1) * function_step.
constexpr uint64_t function_window = uint64_t{1} << 58, function_step = 16;

struct Frame {
  const Code* code = nullptr;
  std::vector<uint64_t> registers;
  std::vector<uint8_t> unset;         // unset bytes of each register; if that is watched
  std::size_t local = 0, params = 0;  // where the frame's own memory begins
  const Instruction* back = nullptr;  // where the caller continues
  const Call* call = nullptr;
};

struct Thread {
  Running* running = nullptr;
  sim::Engine* engine = nullptr;
  uint64_t* r = nullptr;               // registers of the topmost frame
  const Instruction* code = nullptr;   // first instruction of its function
  const Instruction* ip = nullptr;     // the next instruction; null: it has ended, or is at a stop
  const Instruction* then = nullptr;   // at a stop: the next instruction
  const Instruction* waits = nullptr;  // its handler runs a second time, with `again`
  const Instruction* lost = nullptr;   // its last atomicCAS, if that failed
  bool again = false;
  // Since its last fence it has read no volatile or atomic word, or this one alone.
  bool just_fenced = false;
  const std::byte* read_since = nullptr;
  sim::Space* shared = nullptr;
  unsigned thread = 0, block = 0;
  uint64_t steps = 0, flops = 0;
  std::array<uint64_t, 16> votes{};  // number of bar.red so far, for each barrier
  bool carry = false;
  uint64_t value = 0;                    // brought to a warp-wide step, or got from it
  std::array<uint64_t, 32> all{};        // the values of all lanes, if the step tells them
  uint32_t here = 0;                     // the lanes that took part
  std::vector<std::byte> local, params;  // memory of all frames
  std::vector<uint8_t> local_unset, params_unset;  // by byte, where that is watched
  bool brought = false;                            // it brought an unset value to a shuffle
  std::vector<Frame> frames;                       // kept for reuse
  std::size_t depth = 0;                           // number of frames in use

  Frame& frame() { return frames[depth - 1]; }
  bool stopped() const { return ip == nullptr; }
};

template <class T>
inline T get(const Thread& t, uint32_t slot) {
  T v;
  std::memcpy(&v, &t.r[slot], sizeof v);
  return v;
}
// A register holds the written value with zeros above it. A signed value of less than 32 bits keeps
// its sign, since it may be read as a wider one.
template <class T>
inline void put(Thread& t, uint32_t slot, T v) {
  uint64_t bits = 0;
  std::memcpy(&bits, &v, sizeof v);
  t.r[slot] = bits;
}

}  // namespace onefold::lab::ptx
