// A file that appears under its name only when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace onefold::system {

// A temporary file in the folder of `path`, which takes its name when everything is written. It has
// no name of its own where the file system can do so, so nothing is left of it however the program
// ends. Else, and while it takes the place of another file, an error or an interrupt removes it.
// Every function throws cannot_write with the reason alone.
class NewFile {
 public:
  // A link remains a link: the file that it names is replaced, with its permissions.
  explicit NewFile(const std::string& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const std::string& path() const { return path_; }  // behind links
  void write(const void* from, std::size_t n, uint64_t at);
  // Gives it its name, after which a crash of the system leaves a complete file.
  void finish();

 private:
  template <class Make>
  void make_temporary(Make make);
  std::string self() const;
  std::string path_;
  std::string folder_;     // of it, with a slash; empty: this one
  std::string temporary_;  // empty: the file has no name
  int file_ = -1;
};

// Writes a file of these parts beside `path` and then gives it that name; false if it cannot.
//   for_all   whether others may read it
bool replace_file(const std::string& path, std::span<const std::string_view> parts, bool for_all);

// From now on an interrupt (SIGINT, SIGTERM, SIGHUP, SIGQUIT) removes the temporary file and ends
// the program by that signal; a closed pipe or a full disk is an error, not a signal.
void install_signal_handlers();

}  // namespace onefold::system
