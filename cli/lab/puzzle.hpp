// `onefold lab puzzle [NAME [FILE]]`.
#pragma once

#include "cli/verb.hpp"

namespace onefold::cli {

void run_puzzle(Arguments& a);

}  // namespace onefold::cli
