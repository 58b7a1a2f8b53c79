// Files and folders in $TMPDIR or /tmp, which their owner's destructor removes.
#pragma once

#include <string>
#include <string_view>

namespace onefold::system {

class TemporaryFile {
 public:
  // throws cannot_write
  TemporaryFile(std::string_view text, std::string_view ending);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class TemporaryFolder {
 public:
  TemporaryFolder();  // throws cannot_write
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  // `name` may have folders, which are made.
  void put(const char* name, std::string_view text) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Copies what a pipe gives, until it ends, to a file without a name, which takes the place of its
// descriptor: so it can be read again.
//   name    of the pipe, for messages
//   throws  cannot_write, read_failed
void keep_pipe(int descriptor, const std::string& name);

}  // namespace onefold::system
