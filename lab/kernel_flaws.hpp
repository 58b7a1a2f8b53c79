// Describes flaws of the user's kernels in words.
#pragma once

#include <string>

#include "lab/kernel_run.hpp"
#include "lab/ptx/program.hpp"

namespace onefold::lab {

// Returns "sum.cu:3".
std::string place_of(const sim::Site& s);

// Describes a flaw, whose locations are lines: where, what, who.
std::string flaw_sentence(const sim::Flaw& f, const KernelOptions& o, const ptx::Program& program);

// Returns what to write instead, and why; empty: the sentence says it.
std::string fix_of(const sim::Flaw& f);
std::string fix_of_failure(const std::string& failure);
// Says where the last atomicCAS of threads failed, with their number; empty: nowhere.
std::string lost_text(const std::map<sim::Site, uint64_t>& lost);

}  // namespace onefold::lab
