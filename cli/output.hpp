// --output and --page: writes a file that appears only when it is complete.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "api/answer_sink.hpp"
#include "onefold/fold.hpp"
#include "system/new_file.hpp"

namespace onefold::cli {

class OutputFile : public AnswerSink {
 public:
  // throws cannot_write, which names the option
  explicit OutputFile(const std::string& path, const char* option = "--output");

  // Writes a text, or an answer as .npy.
  // throws cannot_write; unsupported: a type that .npy lacks (bf16)
  void write(const Answer& answer);
  void write(std::string_view text) {
    append(text);
    end();
  }
  // Writes a part of a text.
  void append(std::string_view text);
  void end() { finish(); }

  // Writes an answer as .npy piece by piece, then its shape; remembers the first bad status.
  void begin(DType dtype, int rank) override;
  void write(Size first, std::span<const std::byte> values,
             std::span<const Status> statuses) override;
  Status first_bad() const { return bad_; }
  Size place_of_bad() const { return place_of_bad_; }
  void end(const Dims& shape);

 private:
  void finish();
  void send(const void* bytes, std::size_t n, std::size_t at);
  const char* option_;
  std::optional<system::NewFile> file_;
  DType dtype_ = DType::f64;
  std::size_t room_ = 0;  // bytes reserved for the header
  std::size_t at_ = 0;    // where the next text is appended
  std::mutex mutex_;
  Size written_ = 0, place_of_bad_ = 0;
  Status bad_ = Status::ok;
};

// Returns the header of a .npy file, version 1.0, which has the same length for all shapes of one
// rank: up to rank 2, 128 bytes as NumPy's. Throws unsupported.
std::string npy_header(DType dtype, const Dims& shape);
// Returns a type such as "<f8". throws unsupported
const char* npy_type(DType dtype);

}  // namespace onefold::cli
