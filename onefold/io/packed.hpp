// Reads a compressed file, and unpacks it while other pieces are used.
//
//   thread  after `alone` bytes a separate thread unpacks; the reader waits only if that thread is
//           slower
//   memory  four pieces of 256 KiB, 64 KiB of the file, and the library's own memory
//   throws  through File::fail: truncated, bad_header (damaged data), unsupported (no library)
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "onefold/io/codec.hpp"
#include "onefold/io/file.hpp"
#include "onefold/io/input.hpp"

namespace onefold::io {

class Packed {
 public:
  // Reads the next bytes of the packed file; fewer only at its end. `stop` ends waiting for them.
  using Raw = std::function<std::size_t(void* to, std::size_t n, const std::atomic<bool>& stop)>;

  Packed(const File& file, const Codec& codec, Raw raw);
  ~Packed();
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;

  // Returns the next unpacked bytes; fewer than n only at the end, or once `stop` is set.
  std::size_t read(void* to, std::size_t n, const std::atomic<bool>* stop = nullptr);

 private:
  static constexpr std::size_t alone = std::size_t{128} << 10;
  static constexpr std::size_t piece_bytes = std::size_t{256} << 10;
  static constexpr std::size_t most_pieces = 4;

  std::size_t unpack(std::byte* to, std::size_t n);
  void start();
  void work();

  const File& file_;
  const Codec& codec_;
  const Raw raw_;
  std::unique_ptr<Unpacker> unpacker_;
  std::vector<std::byte> in_;
  std::size_t at_ = 0, have_ = 0;  // positions in in_
  bool raw_ended_ = false;
  bool begun_ = false;  // some member was unpacked
  std::size_t done_ = 0;

  // Members that the thread uses, too.
  std::thread thread_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::vector<std::byte>> ready_;  // unpacked pieces, in order
  std::exception_ptr error_;
  bool ended_ = false;
  std::vector<std::byte> piece_;  // the piece that is being read
  std::size_t read_ = 0;
};

// Makes a compressed file, or a member of an archive, the file inside it. Raw data may begin with
// any bytes, so there the name decides.
//   path  its name, or that of the member
void unpack_if_packed(File& file, const std::string& path, const InputOptions& options);

}  // namespace onefold::io
