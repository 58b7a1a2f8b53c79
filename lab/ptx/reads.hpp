// Finds accesses of a kernel's code that read less than their instruction does.
#pragma once

#include "lab/ptx/code.hpp"

namespace onefold::lab::ptx {

// Marks exchanges whose old value nobody uses: they are stores, so they may come first.
void mark_unread_exchanges(Code& c);
// Marks the plain load with which a loop around atomicCAS begins, as in CUDA's guide:
//   old = *p;
//   do { assumed = old; old = atomicCAS(p, assumed, f(assumed)); } while (assumed != old);
// If the word has changed meanwhile, atomicCAS changes nothing and gives the newer value, so the
// load counts as an atomic one. Its value may also decide branches (a maximum ends early), but must
// not reach other memory.
void mark_compared_loads(Code& c);

}  // namespace onefold::lab::ptx
