// `onefold lab run FILE`: the user's own kernel on the simulated machine.
#pragma once

#include <vector>

#include "cli/verb.hpp"

namespace onefold::cli {

// Options that it has in addition to those of experiments.
extern const Option kernel_option, args_option, launch_option, shared_option, print_option,
    expect_option, launches_option, as_written_option, cooperative_option, budget_option,
    compiler_option, arch_option, suppress_option, sarif_option, junit_option;

void run_kernel_file(Arguments& a);

}  // namespace onefold::cli
