// Compiles a kernel's source to PTX.
#pragma once

#include <string>
#include <vector>

#include "onefold/error.hpp"

namespace onefold::lab::ptx {

struct Compiled {
  std::string ptx;
  std::string compiler;  // "NVRTC 13.0", "clang 14"
  std::string kernel;    // the mangled name, if the compiler tells it
  std::string warnings;  // NVRTC's, of the file itself: a line for each
};

struct Source {
  std::string file, text;
  std::string compiler{};  // "nvrtc", "clang", or "" for the first that is found
  std::string arch = "80";
  std::string kernel{};     // if it names a template with arguments, that is instantiated
  bool program = false;     // it has a main() that runs: clang compiles the text as it is
  bool as_written = false;  // no access is moved or left out, so the code is slow
};

// Thrown if the text is wrong, not if a compiler is missing.
struct DoesNotCompile : Error {
  explicit DoesNotCompile(const std::string& why) : Error(ErrorCode::unsupported, why) {}
};

// Compiles by NVRTC if it is found, otherwise by clang with our header. If the text does not
// compile unchanged, host code (main, <<<>>>, includes of host libraries) is left out. What NVRTC
// rejects clang may compile.
//   throws    DoesNotCompile, with the compiler's first error; unsupported: no compiler
Compiled compile(const Source& s);

// Compiles the host code, with main(), to a shared library.
//   throws    DoesNotCompile; unsupported: no clang++
void compile_host(const Source& s, const std::string& library);

// Returns the text with a blank for each comment.
std::string without_comments(const std::string& source);
// Returns whether the text has a main().
bool has_main(const std::string& text);
// Returns the text with blanks for everything that only the host needs; lines keep their numbers.
std::string device_part(const std::string& source);
// Returns the text without what is in the bodies of kernels and device functions, except for the
// ends of lines: so editing a body leaves the host's part as it was.
std::string without_device_code(const std::string& source);

// Text that lets a compiler keep what main() uses, given by mangled names: an instantiation of each
// template of a kernel, and uses of static kernels and variables, which it would drop.
std::string uses_of(const std::vector<std::string>& names);
// Returns the text with `<< <` and `>> >` of launches as `<<<` and `>>>`, which nvcc does not need;
// everything else stays where it is.
std::string with_joined_launches(const std::string& source);

}  // namespace onefold::lab::ptx
