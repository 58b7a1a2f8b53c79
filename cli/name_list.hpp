// Reads the list of file names of --files-from.
#pragma once

#include <string>
#include <vector>

#include "onefold/core/base.hpp"

namespace onefold::cli {

// Reads one name a line, or names that end in zeros, as `find -print0` writes them.
//   memory  the limit that --memory gives; 0: not given
//   zeros   a zero ends each name, whatever it contains; if false, only if the list has a zero
//   throws  bad_option: no name, or a name that no file can have; out_of_memory: too many names
std::vector<std::string> names_in(const std::string& path, Size memory, bool zeros = false);

}  // namespace onefold::cli
