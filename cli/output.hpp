// --output and --page: a file that is whole or not there.
#pragma once

#include <string>
#include <string_view>

#include "onefold/fold.hpp"

namespace onefold::cli {

// A temporary file beside `path`, which takes its name when everything is written. An error or an
// interrupt removes it.
class OutputFile {
 public:
  // throws cannot_write, which names the option
  explicit OutputFile(const std::string& path, const char* option = "--output");
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // A text, or an answer as .npy.
  // throws cannot_write; unsupported: a type that .npy does not have (bf16)
  void write(const Answer& answer);
  void write(std::string_view text);

 private:
  void finish();
  void send(const void* bytes, std::size_t n);
  [[noreturn]] void fail(const std::string& what) const;
  const char* option_;
  std::string path_;  // behind links
  std::string temporary_;
  int file_ = -1;
};

// The header of a .npy file, version 1.0. Throws unsupported.
std::string npy_header(DType dtype, const Dims& shape);

// From now on an interrupt (SIGINT, SIGTERM, SIGHUP, SIGQUIT) removes the temporary file and ends
// the program by that signal; a closed pipe or a full disk is an error, not a signal.
void install_signal_handlers();

}  // namespace onefold::cli
