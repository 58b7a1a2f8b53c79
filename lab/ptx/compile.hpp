// From a kernel's source to PTX.
#pragma once

#include <string>

#include "onefold/error.hpp"

namespace onefold::lab::ptx {

struct Compiled {
  std::string ptx;
  std::string compiler;  // "NVRTC 13.0", "clang 14"
  std::string kernel;    // the mangled name, where the compiler says it
};

struct Source {
  std::string file, text;
  std::string compiler{};  // "nvrtc", "clang" or "" for the first that is there
  std::string arch = "80";
  std::string kernel{};     // of a template it is made with these arguments
  bool as_written = false;  // no access is moved or left out: slow code
};

// The text is at fault, rather than what is here to compile it.
struct DoesNotCompile : Error {
  explicit DoesNotCompile(const std::string& why) : Error(ErrorCode::unsupported, why) {}
};

// By NVRTC, where it is found; else by clang, with a header of ours. What is meant for the host
// (main, <<<>>>, includes of its library) is left out if the text does not compile as it is.
//   throws    DoesNotCompile, with what the compiler says first; unsupported: no compiler
Compiled compile(const Source& s);

// The host's part, main() too, as a shared library.
//   throws    DoesNotCompile; unsupported: no clang++
void compile_host(const Source& s, const std::string& library);

// The text with everything blank that only the host needs; lines stay where they are.
std::string device_part(const std::string& source);

}  // namespace onefold::lab::ptx
