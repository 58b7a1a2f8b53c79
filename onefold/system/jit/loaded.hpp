// Shared libraries found at run time: building needs no CUDA, and a machine without CUDA gets an
// error message.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace onefold::jit {

// A library that stays loaded for the life of the process, or the reason why it could not be.
struct LibraryHandle {
  void* handle = nullptr;
  std::string name;                // the library that was found
  std::vector<std::string> tried;  // names tried, in this order
  std::string why;                 // the loader's message for the last that failed

  explicit operator bool() const { return handle != nullptr; }
  // The address of a function, or null.
  void* find(const char* function) const;
  // The file that the function is in, or an empty path.
  std::string file_of(const char* function) const;
};

LibraryHandle load(std::span<const std::string> names);

// Returns the names under which a library of the CUDA toolkit may be found: what the environment
// variable names, if it is set; else the linker's names, CUDA_HOME, and the active Python
// environment.
//   stem    "libnvrtc"
//   folder  that of pip's package for CUDA 12: "cuda_nvrtc"
std::vector<std::string> toolkit_names(const char* environment, const std::string& stem,
                                       const std::string& folder);

// Loads one of our plugins: the file that the environment variable names, or FILE beside this code,
// or in the folder `onefold` of an installed program's libraries.
LibraryHandle load_plugin(const char* environment, const std::string& file);

// Where a plugin, or a program beside this one, is: in that folder, else beside this code.
std::string plugin_file(const std::string& file);

// The folder of the program or shared library that contains this function; empty: unknown.
std::string folder_of_this_code();

}  // namespace onefold::jit
