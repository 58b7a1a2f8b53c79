// Reads the list of file names of --files-from.
#pragma once

#include <string>
#include <vector>

#include "onefold/base.hpp"

namespace onefold::cli {

// One name a line; or ended by zeros, as `find -print0` writes them.
//   memory  what --memory allows; 0: nothing was said
//   zeros   a zero ends each name, whatever is in it; else a list with a zero somewhere is one
//   throws  bad_option: no name, or one that no file has; out_of_memory: more names than fit
std::vector<std::string> names_in(const std::string& path, Size memory, bool zeros = false);

}  // namespace onefold::cli
