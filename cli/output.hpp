// --output and --page: writes a file that appears only when it is complete.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "onefold/engine/request/answer_sink.hpp"
#include "onefold/engine/request/peers.hpp"
#include "onefold/fold.hpp"
#include "onefold/system/new_file.hpp"

namespace onefold::cli {

// How many answers were written, and the first one without a value.
struct OutputCount {
  Size n = 0, place_of_bad = 0;
  Status bad = Status::ok;
  void add(const OutputCount& other);
  void add(Size first, std::span<const Status> statuses);
};

class OutputFile : public AnswerSink {
 public:
  // throws cannot_write, which names the option
  explicit OutputFile(const std::string& path, const char* option = "--output");
  // Writes random bytes at the file's begin, and returns them.
  std::string mark();
  std::string shared_path() const { return file_->shared_path(); }

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
  Status first_bad() const { return written_.bad; }
  Size place_of_bad() const { return written_.place_of_bad; }
  // Counts answers that another process has written.
  void add(const OutputCount& theirs) { written_.add(theirs); }
  //   is_complex  the last axis has the parts of complex numbers
  void end(const Dims& shape, bool is_complex = false);

 private:
  void finish();
  void send(const void* bytes, std::size_t n, std::size_t at);
  const char* option_;
  std::optional<system::NewFile> file_;
  DType dtype_ = DType::f64;
  std::size_t room_ = 0;  // bytes reserved for the header
  std::size_t at_ = 0;    // where the next text is appended
  std::mutex mutex_;
  OutputCount written_;
};

// The part of a file that another rank than the first one writes.
class OutputShare : public AnswerSink {
 public:
  OutputShare(const std::string& path, std::string_view mark) : file_(path, mark) {}
  bool opened() const { return file_.opened(); }
  void begin(DType dtype, int rank) override;
  void write(Size first, std::span<const std::byte> values,
             std::span<const Status> statuses) override;
  // Returns what was written, once it is on the disk.
  OutputCount finish();

 private:
  system::SharedFile file_;
  DType dtype_ = DType::f64;
  std::size_t room_ = 0;
  std::mutex mutex_;
  OutputCount written_;
};

// Lets all ranks write into the file of the first rank. Collective.
//   file    of the first rank; null on the others
//   share   set on the other ranks
//   returns false: some rank cannot open the file, so the first rank writes all
bool share_output(OutputFile* file, Peers& peers, std::unique_ptr<OutputShare>& share);
// Ends that. Collective.
void end_shares(OutputFile* file, Peers& peers, OutputShare* share);

// Returns the header of a .npy file, version 1.0, which has the same length for all shapes of one
// rank: up to rank 2, 128 bytes as NumPy's. Throws unsupported.
//   is_complex  the last axis has the parts of complex numbers, which are the elements then
//   least       bytes that the header has at least, a multiple of 64
std::string npy_header(DType dtype, const Dims& shape, bool is_complex = false,
                       std::size_t least = 128);
// Returns a type such as "<f8". throws unsupported
const char* npy_type(DType dtype);

}  // namespace onefold::cli
