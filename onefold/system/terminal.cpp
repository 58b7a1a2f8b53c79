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

StdoutTo::StdoutTo(const std::string& file) : stdout_(::dup(standard_output)) {
  if (stdout_ < 0) return;
  const int to = file.empty() ? standard_error : ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (to < 0) return;
  ::dup2(to, standard_output);
  if (to != standard_error) ::close(to);
}

StdoutTo::~StdoutTo() {
  if (stdout_ < 0) return;
  ::dup2(stdout_, standard_output);
  ::close(stdout_);
}

}  // namespace onefold::system
