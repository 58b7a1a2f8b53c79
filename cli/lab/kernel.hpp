// `onefold lab run FILE`: the user's own kernel on the simulated machine.
#pragma once

#include "cli/verb.hpp"

namespace onefold::cli {

void run_kernel_file(Arguments& a);

}  // namespace onefold::cli
