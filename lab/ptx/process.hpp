// Programs that are run, and the files that they read, for compilers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace onefold::lab::ptx {

// Runs a program and takes what it writes to stdout and stderr; -1: it is not there.
int run(const std::vector<std::string>& words, std::string& out, std::string& error);
// The first line of a compiler's messages that is an error.
std::string first_error(const std::string& log);
// Where a kernel's includes are: its own folder, then the toolkit's.
std::vector<std::string> include_folders(const std::string& file);

// A file that is gone when this is.
class Temporary {
 public:
  explicit Temporary(const std::string& text, const char* end);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A folder that is gone, with what is in it, when this is.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  void put(const char* name, std::string_view text) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace onefold::lab::ptx
