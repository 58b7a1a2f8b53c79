// A part of a file, mapped into memory.
//
// If a file becomes shorter while it is mapped, reading past its end raises SIGBUS. The guard maps
// zeros there and marks the window, so that its reader can throw read_failed. Only programs install
// the handler. Without it the library does not map files, but reads them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onefold::system {

// Called by programs once, before they read files. SIGBUS from other causes acts as before.
void install_sigbus_guard();
bool sigbus_guarded();

class FileWindow {
 public:
  FileWindow() = default;
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  // Maps bytes of a file, which will be read in order. Returns false if that fails, or if the guard
  // already watches as many windows as it can.
  bool map(int file, uint64_t at, std::size_t bytes);
  const std::byte* data() const { return data_; }
  // Returns whether the file became shorter, so that zeros replace some bytes of `data`.
  bool lost() const;

 private:
  void* window_ = nullptr;
  std::size_t window_bytes_ = 0;
  const std::byte* data_ = nullptr;
  struct WatchedWindow* watched_ = nullptr;
};

}  // namespace onefold::system
