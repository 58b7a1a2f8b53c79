// What a compiler has made of a text, kept in the cache of compiled kernels for the next run.
//
//   key      everything that the compiler is told; another one's result is never taken
//   files    a kept result counts only while the compiler and the files that it may have read are
//            as they were: an include is looked for in all folders, also one that #if leaves out,
//            and where it was missing it must still be
//   bounded  results are kept in 256 slots, numbered by the source's path, so that an edited file
//            replaces its own, or by a text that is in no file
//   unsure   nothing is kept if an include's name is a macro, or if a file is as new as the call
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "onefold/system/jit/cache.hpp"

namespace onefold::lab::ptx {

struct Source;

class CachedCall {
 public:
  // how: which of several calls for a source this is; told: the compiler's text and options.
  CachedCall(const Source& s, const std::string& how, const std::string& told);
  CachedCall(std::string slot, std::string key);

  bool keeps() const { return !cache_.folder().empty(); }
  const std::optional<std::string>& found() const { return found_; }
  // Keeps a result.
  //   files    what it depends on, with the compiler
  void keep(const std::string& made, const std::vector<std::string>& files) const;

 private:
  static constexpr const char* suffix_ = ".lab";  // of its files
  jit::Cache cache_ = jit::Cache::from_environment(suffix_);
  std::string slot_, key_;
  std::optional<std::string> found_;
  std::chrono::system_clock::time_point began_ = std::chrono::system_clock::now();
};

// Adds the files that a text's includes name, and those that these include, to `files`, with the
// paths where they were looked for in vain.
//   folders  the text's own, then the toolkit's
//   returns  false if it cannot be said, since the name is a macro
bool add_includes(const std::string& text, const std::vector<std::string>& folders,
                  std::vector<std::string>& files);

}  // namespace onefold::lab::ptx
