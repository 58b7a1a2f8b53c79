#pragma once

#include "cli/verb.hpp"

namespace onefold::cli {

// `onefold lab serve`: the page on which CUDA is typed and run, on this machine alone.
void serve_lab(Arguments& a);

}  // namespace onefold::cli
