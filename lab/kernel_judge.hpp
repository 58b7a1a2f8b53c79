// Shared by runs of kernels with given arguments and by runs of main(): turns what a launch
// found into a result.
#pragma once

#include <vector>

#include "lab/kernel_run.hpp"
#include "lab/ptx/program.hpp"

namespace onefold::lab {

ptx::Dim dim(const Extent3& e);

constexpr std::size_t most_shared = 227 << 10;  // bytes of a block
constexpr std::size_t usual_shared = 48 << 10;  // what it may have without cudaFuncSetAttribute
// Says which limit of a GPU a launch exceeds; empty: none.
//   static_shared  bytes of the kernel's static shared memory
//   most_threads   of a block, by __launch_bounds__; 0: any
std::string over_limit(const KernelLaunch& l, std::size_t static_shared = 0,
                       uint64_t most_threads = 0);

// Replaces names of a compiler's temporary files, and numbers of instructions, by lines.
sim::Site line_of(sim::Site s);
// Whether a flaw says that --budget is used up.
bool out_of_budget(const sim::Flaw& f);
// Adds new flaws, whose sentences end with `suffix`. After a failure, threads that wait in vain at
// barriers are not reported.
void add_flaws(KernelResult& r, const sim::Report& found, bool failed, const KernelOptions& o,
               const ptx::Program& program, const std::string& suffix = "");
// Adds the counters of lines, and replaces the total counters.
void merge_lines(KernelResult& r, const sim::Report& from);
// Removes flaws that the author allows.
void suppress(KernelResult& r, std::vector<Suppression> allowed);

}  // namespace onefold::lab
