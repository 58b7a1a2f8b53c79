// Gives compilers their options, and reads their messages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onefold/system/temporary.hpp"

namespace onefold::lab::ptx {

struct Source;

// Returns the first line of a compiler's messages that is an error.
std::string first_error(const std::string& log);
// Returns the folders of a kernel's includes: its own folder, then the toolkit's.
std::vector<std::string> include_folders(const std::string& file);

// What clang compiles: kernels alone, or a whole program with the CUDA runtime that its main()
// calls, for the device or for the host.
enum class ClangPart { kernels, device, host };

// The words of a call of clang, and the files that they name.
class ClangCall {
 public:
  ClangCall(const Source& s, const std::string& text, ClangPart part);
  void add(const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  }
  // Lets clang read the host's headers in compiled form (otherwise it takes 1 s), for calls with
  // these options. The cache of compiled kernels keeps it; again: it is made anew. Does nothing if
  // it cannot be made.
  void use_compiled_headers(const std::vector<std::string>& options, bool again);

  std::vector<std::string> words;

 private:
  system::TemporaryFile header_, code_;
  system::TemporaryFolder headers_;
  std::optional<system::TemporaryFile> compiled_;
};

}  // namespace onefold::lab::ptx
