// What runs of the user's kernels share, by arguments or by their own main(): how a launch is
// prepared, and how what it found becomes a result.
#pragma once

#include <vector>

#include "lab/kernel_run.hpp"
#include "lab/ptx/program.hpp"

namespace onefold::lab {

ptx::Dim dim(const Extent3& e);
// Everything of a launch of kernel k but its arguments.
void prepare(ptx::Running& run, const ptx::Program& program, std::size_t k, const KernelLaunch& l);

// The names of a compiler's temporary files and instructions give way to lines.
sim::Site line_of(sim::Site s);
// Whether a flaw says that --budget is used up.
bool out_of_budget(const sim::Flaw& f);
// Adds the flaws that are new. After a failure the others find nobody at their barriers.
void add_flaws(KernelResult& r, const sim::Report& found, bool failed, const KernelOptions& o,
               const ptx::Program& program);
// Adds the counters of lines, and takes those of all.
void merge_lines(KernelResult& r, const sim::Report& from);
// Takes what the author allows out of the flaws.
void suppress(KernelResult& r, std::vector<Suppression> allowed);

}  // namespace onefold::lab
