// Finds local variables that are used before they are set: registers and local memory have a bit
// for each byte. A value that is copied or computed from an unset one is unset too. It is told
// where it decides something: a branch, an address, a store to global or shared memory, an atomic,
// a vote. Copies may bring the padding of a struct along, so single bytes are not told.
//
// Only programs where it can happen are watched: some register may be read before it is written, or
// local memory is read at all. Others run as quickly as before.
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

// How an instruction hands unset bytes on.
struct Flow {
  enum class How : uint8_t {
    none,     // its results are set, whatever it is given
    plain,    // unset if one source is
    copy,     // byte by byte
    choose,   // the source that the predicate names; unset if the predicate is
    both,     // logical and: a set source of zeros decides
    either,   // logical or of predicates: a set source that is true decides
    unpack,   // a register into several of equal size
    pack,     // the other way
    load,     // from memory, as it lies there
    store,    // sources into memory
    shuffle,  // what the lane that is read from has brought
  };
  How how = How::none;
  uint8_t width = 8;              // bytes of a source
  uint32_t used_bytes = ~0u;      // of a load: bytes that its padding is not among
  bool ends = false;              // the next instruction does not follow
  std::vector<uint32_t> results;  // slots, as in what follows
  std::vector<uint32_t> sources;  // handed on
  std::vector<uint32_t> used;     // told if they are unset
  std::vector<uint32_t> targets;  // instructions that may follow
};

// `slot_of(name)`: a register's slot; no_slot if the instruction has no such register.
Flow flow_of(const Statement& s, const Instruction& made,
             const std::function<uint32_t(const std::string&)>& slot_of);

// Whether a register of `c` may be read before it is written.
bool may_read_unset(const Code& c);

// What an instruction makes of unset bytes: before it runs, and after.
class Unset {
 public:
  Unset(Thread& t, const Instruction& i);
  void settle();  // the instruction has run

 private:
  void tell(uint32_t slot);
  void compute();
  void load();
  void store();

  Thread& thread_;
  const Instruction& instruction_;
  const Flow& flow_;
  std::vector<uint8_t>& unset_;  // of the frame's registers
  uint8_t results_[8] = {};
};

}  // namespace onefold::lab::ptx
