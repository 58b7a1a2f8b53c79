// Shared libraries that are loaded while the program runs.
#pragma once

#include <string>

namespace onefold::system {

// Null: `why` has the loader's message.
void* open_library(const std::string& name, std::string& why);
// A library that is in this process already, or the program itself.
void* library_in_process(const char* name);
// The address of a function or value of a library, or null.
void* find_in_library(void* library, const char* name);
// The file that has the function at this address; empty: unknown.
std::string file_of_address(void* address);

}  // namespace onefold::system
