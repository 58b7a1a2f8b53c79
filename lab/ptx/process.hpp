// What compilers are told, and what they say.
#pragma once

#include <string>
#include <vector>

namespace onefold::lab::ptx {

// The first line of a compiler's messages that is an error.
std::string first_error(const std::string& log);
// Where a kernel's includes are: its own folder, then the toolkit's.
std::vector<std::string> include_folders(const std::string& file);

}  // namespace onefold::lab::ptx
