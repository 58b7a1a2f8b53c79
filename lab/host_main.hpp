// `onefold lab run` of a file alone, without arguments for a kernel: its own main() runs, and its
// launches on the simulated machine.
#pragma once

#include <string>
#include <vector>

#include "lab/kernel_run.hpp"

namespace onefold::lab {

// Whether the text has a main() of its own.
bool has_main(const std::string& text);

// Runs main(). What it prints goes to stdout at once. Its launches run in one order of threads;
// races are found in any. A status other than 0 is an expectation that does not hold.
//   throws  as run_kernel; unsupported: clang++ is not here
KernelResult run_main(const KernelOptions& options, const std::vector<std::string>& arguments);

}  // namespace onefold::lab
