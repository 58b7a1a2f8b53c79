// `onefold lab run FILE` without a kernel's arguments: runs the file's own main(), and its launches
// on the simulated machine.
#pragma once

#include <string>
#include <vector>

#include "lab/kernel_run.hpp"

namespace onefold::lab {

// Runs main(); its output goes to stdout at once. Launches run in one order of threads, but races
// are found in any order. An exit status other than 0 is an expectation that does not hold.
//   throws  as run_kernel; unsupported: there is no clang++
KernelResult run_main(const KernelOptions& options, const std::vector<std::string>& arguments);

}  // namespace onefold::lab
