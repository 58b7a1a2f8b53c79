// A part of a file, mapped into memory.
//
// Reading past the end of a file that became shorter while it is mapped raises SIGBUS. The guard
// maps zeros there and marks the window, so that its reader can throw read_failed. Installing a
// handler is a program's decision: the library never does, and reads files where there is no guard.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onefold::system {

// For programs, once, before files are read. A SIGBUS of another origin does what it did before.
void install_sigbus_guard();
bool sigbus_guarded();

class FileWindow {
 public:
  FileWindow() = default;
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  // Maps bytes of a file, which will be read in order. False: it cannot be mapped, or as many
  // windows are open as the guard watches.
  bool map(int file, uint64_t at, std::size_t bytes);
  const std::byte* data() const { return data_; }
  // Whether the file became shorter, so that some bytes of `data` are zeros in their place.
  bool lost() const;

 private:
  void* window_ = nullptr;
  std::size_t window_bytes_ = 0;
  const std::byte* data_ = nullptr;
  struct Watched* watched_ = nullptr;
};

}  // namespace onefold::system
