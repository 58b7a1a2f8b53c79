#include "onefold/system/pipe.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace onefold::system {

Pipe::Pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) == 0) read_end_ = ends[0], write_end_ = ends[1];
}

Pipe::~Pipe() {
  close_read();
  close_write();
}

void Pipe::close_read() {
  if (read_end_ >= 0) close_file(std::exchange(read_end_, -1));
}

void Pipe::close_write() {
  if (write_end_ >= 0) close_file(std::exchange(write_end_, -1));
}

void Pipe::append_to(std::string& text) {
  close_write();
  std::array<char, 65536> part;
  for (std::ptrdiff_t n; (n = read_some(read_end_, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(n));
  }
}

int status_of(int child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace onefold::system
