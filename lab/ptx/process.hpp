// Gives compilers their options, and reads their messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/system/temporary.hpp"

namespace onefold::lab::ptx {

struct Source;

// Returns the first line of a compiler's messages that is an error.
std::string first_error(const std::string& log);
// Returns the folders of a kernel's includes: its own folder, those of CPATH, the toolkit's.
std::vector<std::string> include_folders(const std::string& file);
// Whether one of these folders has helper_math.h, which then takes the place of ours.
bool has_helper_math(const std::string& file);

// What clang compiles: kernels alone, or a whole program with the CUDA runtime that its main()
// calls, for the device or for the host.
enum class ClangPart { kernels, device, host };

// A call of clang, and the files that it names.
class ClangCall {
 public:
  // more: options after the usual ones.
  ClangCall(const Source& s, const std::string& text, ClangPart part,
            const std::vector<std::string>& more);
  // Gives `made` what clang makes, or what it made of the same call before (`CachedCall`).
  //   returns  clang's status; -1: there is no clang
  int run(std::string& made, std::string& error);

 private:
  void put(const std::string& name, std::string_view text);
  std::string told() const;
  // Lets clang read the host's headers in compiled form (otherwise it takes 1 s). Does nothing if
  // it cannot be made.
  void use_compiled_headers();
  // Runs words, which gain the name of the output, and returns the files that clang has read.
  int run_words(std::vector<std::string> words, std::string& made, std::string& error,
                std::vector<std::string>& files) const;

  const Source& source_;
  const std::string& text_;
  const ClangPart part_;
  std::string given_;  // the texts of all files that it names
  system::TemporaryFile header_, code_;
  system::TemporaryFolder headers_;
  std::optional<system::TemporaryFile> compiled_;
  std::vector<std::string> words_;
};

}  // namespace onefold::lab::ptx
