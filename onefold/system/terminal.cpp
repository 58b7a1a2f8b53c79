#include "onefold/system/terminal.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "onefold/system/file.hpp"

namespace onefold::system {

bool is_terminal(int file) { return ::isatty(file) == 1; }

std::size_t terminal_columns() {
  winsize size{};
  const bool known =
      is_terminal(standard_output) && ::ioctl(standard_output, TIOCGWINSZ, &size) == 0;
  return known ? size.ws_col : 0;
}

void fill_closed_streams() {
  for (const int file : {standard_input, standard_output, standard_error}) {
    if (::fcntl(file, F_GETFD) >= 0) continue;
    ::open("/dev/null", file == standard_input ? O_WRONLY : O_RDONLY);
  }
}

StdoutToStderr::StdoutToStderr() : stdout_(::dup(standard_output)) {
  if (stdout_ >= 0) ::dup2(standard_error, standard_output);
}

StdoutToStderr::~StdoutToStderr() {
  if (stdout_ < 0) return;
  ::dup2(stdout_, standard_output);
  ::close(stdout_);
}

}  // namespace onefold::system
