// The standard streams of a program and the terminal that they may be.
#pragma once

#include <cstddef>

namespace onefold::system {

bool is_terminal(int file);
// The number of columns of the terminal behind stdout; 0: it is no terminal.
std::size_t terminal_columns();

// If stdin, stdout or stderr is closed, the next opened file would get its number. So a file that
// can be neither read nor written is opened in its place.
void fill_closed_streams();

// While this lives, what goes to stdout goes to stderr.
class StdoutToStderr {
 public:
  StdoutToStderr();
  ~StdoutToStderr();
  StdoutToStderr(const StdoutToStderr&) = delete;
  StdoutToStderr& operator=(const StdoutToStderr&) = delete;

 private:
  int stdout_;
};

}  // namespace onefold::system
