// Finds the memory that an address points to.
#pragma once

#include "lab/ptx/decode.hpp"
#include "lab/ptx/running.hpp"

namespace onefold::lab::ptx {

// Returns the bytes at an address, after the machine has counted and checked the access. Null: it
// is not allowed, or the thread must stop before it. Local memory and constants belong to one
// thread, so they are only checked.
std::byte* reach(Thread& t, const Instruction& i, StateSpace space, uint64_t address,
                 unsigned bytes, sim::Kind kind);
// Returns whether the access is made when the thread continues; then the handler runs again.
bool waits(Thread& t, const Instruction& i);
StateSpace take_space(Decoding& d);
void fence(Thread& t, const Instruction& i);
// Decodes the rest of cp.async.bulk.
Handler bulk_copy(Decoding& d);
// Decodes the rest of fence.mbarrier_init.
Handler barriers_fence(Decoding& d);

}  // namespace onefold::lab::ptx
