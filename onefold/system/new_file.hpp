// A file that appears under its name only when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace onefold::system {

// A temporary file in the folder of `path`. When everything is written, it gets that name. If the
// file system allows it, the temporary file has no name, so nothing is left however the program
// ends. Otherwise, and while it replaces another file, an error or an interrupt removes it. Every
// function throws cannot_write, with only the reason.
class NewFile {
 public:
  // A symbolic link stays: the file that it names is replaced, and keeps its permissions.
  explicit NewFile(const std::string& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const std::string& path() const { return path_; }  // after following links
  // The path by which other processes open the temporary file until finish(). If it has no name,
  // only processes of this machine and user can: /proc/PID/fd/N.
  std::string shared_path() const;
  void write(const void* from, std::size_t n, uint64_t at);
  // Gives the file its name; from then on a crash of the system leaves a complete file.
  void finish();

 private:
  template <class Make>
  void make_temporary(Make make);
  std::string self() const;
  std::string path_;
  std::string folder_;     // the file's folder, with a slash; empty: the current one
  std::string temporary_;  // empty: the file has no name
  int file_ = -1;
};

// A part of another process's temporary file. Every function throws cannot_write, as above.
class SharedFile {
 public:
  // Opens the file if it begins with `mark`: on another machine another file can have this name.
  SharedFile(const std::string& temporary, std::string_view mark);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  bool opened() const { return file_ >= 0; }
  void write(const void* from, std::size_t n, uint64_t at);
  // After that, a crash of the system loses nothing that was written.
  void finish();

 private:
  int file_ = -1;
};

// Writes a file from these parts, then renames it to `path`; returns false if it cannot.
//   for_all   whether others may read it
bool replace_file(const std::string& path, std::span<const std::string_view> parts, bool for_all);

// From now on an interrupt (SIGINT, SIGTERM, SIGHUP, SIGQUIT) removes the temporary file and ends
// the program by that signal; a closed pipe or a full disk is an error, not a signal.
void install_signal_handlers();

}  // namespace onefold::system
