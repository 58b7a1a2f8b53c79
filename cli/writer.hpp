// Writes to stdout and stderr.
#pragma once

#include <string>
#include <string_view>

#include "onefold/error.hpp"

namespace onefold::cli {

// The reader of stdout has ended, as `head` does; no message is printed for this.
class ClosedPipe : public Error {
 public:
  ClosedPipe()
      : Error(ErrorCode::cannot_write, "writing to stdout failed: the reader closed the pipe") {}
};

class OutputFile;  // cli/output.hpp

// Collects text for stdout or a file and sends it in pieces. So callers check everything before
// they write.
//   throws  ClosedPipe; cannot_write: a full disk
class Writer {
 public:
  Writer() = default;
  explicit Writer(OutputFile* file) : file_(file) {}
  std::string& text() { return text_; }  // append here, then call flush_if_full
  void write(std::string_view s) {
    text_ += s;
    flush_if_full();
  }
  void flush_if_full() {
    if (text_.size() >= 1 << 16) flush();
  }
  void flush();

 private:
  std::string text_;
  OutputFile* file_ = nullptr;  // null: stdout
};

bool stdin_is_terminal();
bool stdout_is_terminal();
bool stderr_is_terminal();

// Returns whether escape sequences may colour text: no if NO_COLOR is set, or the terminal is dumb.
bool colour_wanted();

// Draws a line of progress on stderr, in place of the one before it; whatever the program prints to
// the terminal next erases it.
void draw_progress(std::string_view line);
void erase_progress();

// Prints "onefold: message", on one line even if the message has several.
void print_error(std::string_view message);

}  // namespace onefold::cli
