// Finds local variables that are used before they are set: registers and local memory have a bit
// for each byte. A value that is copied or computed from an unset one is unset, too. It is reported
// where it decides something: a branch, an address, a store to global or shared memory, an atomic,
// a vote. Copies may include a struct's padding, so single bytes are not reported.
//
// Only programs in which this can happen are watched: some register may be read before it is
// written, or local memory is read. Other programs run as fast as without it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace onefold::lab::ptx {

struct Code;
struct Instruction;
struct Statement;
struct Thread;

// How an instruction passes unset bytes on.
struct Flow {
  enum class How : uint8_t {
    none,     // its results are always set
    plain,    // a result is unset if a source is
    copy,     // byte by byte
    choose,   // as the source that the predicate selects; unset if the predicate is
    both,     // logical and: a set source of zeros decides
    either,   // logical or of predicates: a set source that is true decides
    unpack,   // a register into several of equal size
    pack,     // the reverse of `unpack`
    load,     // from memory, byte by byte
    store,    // to memory, byte by byte
    shuffle,  // as the source lane's value
  };
  How how = How::none;
  uint8_t width = 8;              // bytes of a source
  uint32_t used_bytes = ~0u;      // for a load: the bytes that are not padding
  bool ends = false;              // an exit or a jump: never falls through
  bool adds = false;              // a sum of two 32-bit or 64-bit integers
  std::vector<uint32_t> results;  // slots, as are the next two
  std::vector<uint32_t> sources;  // passed on
  std::vector<uint32_t> used;     // reported if they are unset
  std::vector<uint32_t> targets;  // instructions that may follow
};

// `slot_of(name)` returns a register's slot; no_slot if the instruction has no such register.
Flow flow_of(const Statement& s, const Instruction& made,
             const std::function<uint32_t(const std::string&)>& slot_of);

struct Liveness {
  bool unset = false;      // a register may be read before it is written
  unsigned registers = 0;  // the most of 32 bits that hold values needed later
};
Liveness liveness_of(const Code& c);

// Tracks unset bytes: one step before an instruction runs, one after.
class Unset {
 public:
  Unset(Thread& t, const Instruction& i);
  void settle();  // called after the instruction has run

 private:
  void tell(uint32_t slot);
  void compute();
  void load();
  void store();

  Thread& thread_;
  const Instruction& instruction_;
  const Flow& flow_;
  std::vector<uint8_t>& unset_;  // unset bytes of the frame's registers
  uint8_t results_[8] = {};
};

}  // namespace onefold::lab::ptx
