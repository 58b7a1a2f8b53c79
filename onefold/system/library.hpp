// Shared libraries that are loaded while the program runs.
#pragma once

#include <string>

namespace onefold::system {

// Loads a library. Null: `why` has the loader's message.
void* open_library(const std::string& name, std::string& why);
// Finds a library that is already in this process, or the program itself.
void* library_in_process(const char* name);
// Returns the address of a library's function or value, or null.
void* find_in_library(void* library, const char* name);
// Returns the file that has the function at this address; empty: unknown.
std::string file_of_address(void* address);

}  // namespace onefold::system
