// A pipe between this process and a child, and the child's end.
#pragma once

#include <cstddef>
#include <string>

#include "system/file.hpp"

namespace onefold::system {

// Programs that are run do not inherit it.
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
  // What every writer writes, until they have all closed it; this process does so first.
  void append_to(std::string& text);

 private:
  int read_end_ = -1, write_end_ = -1;
};

// Waits until the child has ended; what waitpid says of it.
int status_of(int child);

}  // namespace onefold::system
