// Names of functions and variables as compilers mangle them, and as a source has them.
#pragma once

#include <string>

namespace onefold::lab::ptx {

// Returns a mangled name as C++ writes it, or that of a type; empty: it is none.
std::string demangled(const std::string& mangled);
// Returns the name in the source, with namespaces. All compilers agree about it, also for what is
// static or in a namespace without a name, which NVRTC mangles in its own way.
std::string source_name(const std::string& mangled);
// Returns "reduce6<int, 512u>" for "_Z7reduce6IiLj512EEvPT_S1_j"; a plain name stays.
std::string written_name(const std::string& mangled);
// Returns "s" for a variable of a function.
std::string variable_name(const std::string& mangled);

}  // namespace onefold::lab::ptx
