// --output and --page: writes a file that appears only when it is complete.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "api/answer_sink.hpp"
#include "onefold/fold.hpp"

namespace onefold::cli {

// A temporary file in the folder of `path`, which takes its name when everything is written. It has
// no name of its own where the file system can do so, so nothing is left of it however the program
// ends. Else, and while it takes the place of another file, an error or an interrupt removes it.
class OutputFile : public AnswerSink {
 public:
  // throws cannot_write, which names the option
  explicit OutputFile(const std::string& path, const char* option = "--output");
  ~OutputFile() override;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // A text, or an answer as .npy.
  // throws cannot_write; unsupported: a type that .npy does not have (bf16)
  void write(const Answer& answer);
  void write(std::string_view text) {
    append(text);
    end();
  }
  // Or a text in parts.
  void append(std::string_view text);
  void end() { finish(); }

  // Or an answer as .npy piece by piece, and then its shape. The first that has no value is kept.
  void begin(DType dtype, int rank) override;
  void write(Size first, std::span<const std::byte> values,
             std::span<const Status> statuses) override;
  Status first_bad() const { return bad_; }
  Size place_of_bad() const { return place_of_bad_; }
  void end(const Dims& shape);

 private:
  template <class Make>
  void make_temporary(Make make);
  std::string self() const;
  void finish();
  void send(const void* bytes, std::size_t n, std::size_t at);
  [[noreturn]] void fail(const std::string& what) const;
  const char* option_;
  std::string path_;       // behind links
  std::string folder_;     // of it, with a slash; empty: this one
  std::string temporary_;  // empty: the file has no name
  int file_ = -1;
  DType dtype_ = DType::f64;
  std::size_t room_ = 0;  // for the header
  std::size_t at_ = 0;    // the end of what was appended
  std::mutex mutex_;
  Size written_ = 0, place_of_bad_ = 0;
  Status bad_ = Status::ok;
};

// The header of a .npy file, version 1.0, as long for any shape of that rank: 128 bytes, as NumPy
// makes it, up to rank 2. Throws unsupported.
std::string npy_header(DType dtype, const Dims& shape);
// "<f8". throws unsupported
const char* npy_type(DType dtype);

// From now on an interrupt (SIGINT, SIGTERM, SIGHUP, SIGQUIT) removes the temporary file and ends
// the program by that signal; a closed pipe or a full disk is an error, not a signal.
void install_signal_handlers();

}  // namespace onefold::cli
