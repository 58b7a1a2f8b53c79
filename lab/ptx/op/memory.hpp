// Where an address leads.
#pragma once

#include "lab/ptx/decode.hpp"
#include "lab/ptx/running.hpp"

namespace onefold::lab::ptx {

// The bytes at an address, after the machine has counted and checked the access; null if it is not
// allowed, or the thread is at a stop before it. Local memory and constants are a thread's own, and
// only checked.
std::byte* reach(Thread& t, const Instruction& i, StateSpace space, uint64_t address,
                 unsigned bytes, sim::Kind kind);
// True if that access is to be made when the thread goes on: then the handler runs again.
bool waits(Thread& t, const Instruction& i);
StateSpace take_space(Decoding& d);
void fence(Thread& t, const Instruction& i);
// What follows cp.async.bulk.
Handler bulk_copy(Decoding& d);
// What follows fence.mbarrier_init.
Handler barriers_fence(Decoding& d);

}  // namespace onefold::lab::ptx
