// The standard streams of a program and the terminal that they may be.
#pragma once

#include <cstddef>
#include <string>

namespace onefold::system {

bool is_terminal(int file);
// Returns the number of columns of the terminal at stdout; 0: stdout is no terminal.
std::size_t terminal_columns();

// If stdin, stdout or stderr is closed, the next file to be opened would get its number. So this
// opens, in its place, a file that can be neither read nor written.
void fill_closed_streams();

// While it exists, output to stdout goes to stderr, or to a file.
class StdoutTo {
 public:
  explicit StdoutTo(const std::string& file = "");
  ~StdoutTo();
  StdoutTo(const StdoutTo&) = delete;
  StdoutTo& operator=(const StdoutTo&) = delete;

 private:
  int stdout_;
};

}  // namespace onefold::system
