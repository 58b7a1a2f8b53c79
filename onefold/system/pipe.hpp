// A pipe between this process and a child, and the child's end.
#pragma once

#include <cstddef>
#include <string>

#include "onefold/system/file.hpp"

namespace onefold::system {

// Programs that this process runs do not inherit the pipe.
class Pipe {
 public:
  Pipe();
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool made() const { return read_end_ >= 0; }
  int read_end() const { return read_end_; }
  int write_end() const { return write_end_; }
  void close_read();
  void close_write();
  // Appends all that writers write until all have closed the pipe; first closes this process's end.
  void append_to(std::string& text);

 private:
  int read_end_ = -1, write_end_ = -1;
};

// Waits until the child has ended; returns the status that waitpid gives.
int status_of(int child);

}  // namespace onefold::system
