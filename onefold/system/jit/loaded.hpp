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

// Loads one of our plugins: the file that the environment variable names, or FILE beside this code,
// or in the folder `onefold` of an installed program's libraries.
LibraryHandle load_plugin(const char* environment, const std::string& file);

// Where a plugin, or a program beside this one, is: in that folder, else beside this code.
std::string plugin_file(const std::string& file);

// The folder of the program or shared library that contains this function; empty: unknown.
std::string folder_of_this_code();

}  // namespace onefold::jit
