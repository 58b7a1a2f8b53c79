// Which inputs a wrong sum lacks or counts twice.
#pragma once

#include "lab/kernel_bound.hpp"
#include "lab/ptx/program.hpp"

namespace onefold::lab {

// Looks at the first expectation about an element or a sum that does not hold. If the kernel adds
// up an array, runs it again with small integers in that array, zeros where an input is left out,
// and gives the expectation a sentence such as "y[0] lacks x[4], x[9]". Takes some seconds at most.
void find_lacking_inputs(const KernelOptions& o, const ptx::Program& program,
                         std::span<const Bound> bound, KernelResult& r);

}  // namespace onefold::lab
