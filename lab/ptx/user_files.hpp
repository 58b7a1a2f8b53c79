// Tells files of the user from those of a toolkit.
#pragma once

#include <string>
#include <vector>

namespace onefold::lab::ptx {

// Returns the folders of the headers of the toolkit that is found.
std::vector<std::string> toolkit_folders();
// Whether a file that a compiler names is the user's, not a toolkit's, the system's or ours; also
// if its folder has a name such as cuda/ or include/.
//   source  the .cu file; empty: it is not known
bool of_user(const std::string& path, const std::string& source);

}  // namespace onefold::lab::ptx
