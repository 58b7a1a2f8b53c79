// Gives compilers their options, and reads their messages.
#pragma once

#include <string>
#include <vector>

namespace onefold::lab::ptx {

// Returns the first line of a compiler's messages that is an error.
std::string first_error(const std::string& log);
// Returns the folders of a kernel's includes: its own folder, then the toolkit's.
std::vector<std::string> include_folders(const std::string& file);

}  // namespace onefold::lab::ptx
