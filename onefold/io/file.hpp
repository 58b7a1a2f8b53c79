// An open file, pipe or stdin. This class knows nothing of formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "onefold/core/base.hpp"
#include "onefold/error.hpp"
#include "onefold/io/checksum.hpp"
#include "onefold/system/file.hpp"

namespace onefold::io {

struct Codec;

// The files that one call has opened, by their paths. Each pass opens them again by name.
class OpenedFiles {
 public:
  // Returns the facts of the file that had this path when the call opened it first.
  system::FileFacts first(const std::string& path, const system::FileFacts& now) {
    const std::lock_guard lock(mutex_);
    return by_path_.try_emplace(path, now).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, system::FileFacts> by_path_;
};

class File {
 public:
  // Opens a file; "-" is stdin. throws cannot_open: missing, a directory, no permission
  //   name  the file's name in messages; empty: the path
  explicit File(const std::string& path, const std::string& name = "");
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& name() const { return name_.empty() ? path_ : name_; }  // for messages
  // Returns whether the file can be read at any position and mapped. It then has size() bytes from
  // where it stood when it was opened. Empty regular files, and files of /proc or /sys, cannot:
  // their sizes are given as 0 or 4096, and mean nothing.
  bool seekable() const { return seekable_; }
  uint64_t size() const { return size_; }
  int descriptor() const { return fd_; }
  uint64_t base() const { return base_; }  // the descriptor's offset of our offset 0

  // Reads the next n bytes; fewer only at the end. throws read_failed
  std::size_t read(void* to, std::size_t n);
  // Returns the first n bytes (or all, if there are fewer), which `read` will read again.
  std::vector<std::byte> peek(std::size_t n);
  uint64_t position() const { return position_; }
  // Passes over the first bytes, before any other is read.
  void skip(uint64_t bytes);

  // Turns this into a stream of the unpacked contents of a compressed file. Call it before anything
  // is read; a second call unpacks what the first one unpacks.
  //   before, after  bytes that are read before and after the file's own
  void unpack(const Codec& codec, const std::string& before = "", const std::string& after = "");
  // Restricts a seekable file to a part of itself. Call it before anything is read.
  //   crc  the expected CRC of the part's bytes, which check_end() compares
  void narrow(uint64_t offset, uint64_t bytes, std::optional<uint32_t> crc = {});
  // The checksum of a part, if it has one; readers add the bytes that they read.
  Checksum* checksum() const { return checksum_.get(); }
  bool packed() const { return packed_ != nullptr; }

  // After share(), a seekable file is open only while it is in use, so that many files can be
  // folded. Reading and mapping then need a Use.
  void share();
  class Use {
   public:
    explicit Use(const File& file) : file_(file) { file_.acquire(); }
    ~Use() { file_.release(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    const File& file_;
  };

  // Reads exactly n bytes at `offset` of a seekable file; from any thread. throws read_failed
  void read_at(uint64_t offset, void* to, std::size_t n) const;
  // throws read_failed: an earlier pass of the call read another file of this name, or the file
  // has been written to since
  void check_same(OpenedFiles& opened) const;
  // Called after a library has opened the file by its name.
  //   throws  read_failed: another file has taken the name, or the file has been written to
  void check_name() const;
  // Called after the last element. Throws read_failed if the file was written to. It reads the
  // rest of a packed file (above all its checksum), which may be truncated or damaged. So may be a
  // part of a file that has a checksum.
  void check_end();

  // Throws Error(code, "read NAME: " + what).
  [[noreturn]] void fail(ErrorCode code, const std::string& what) const;

 private:
  std::size_t read_stream(void* to, std::size_t n);
  // throws read_failed: another file now has this file's name, or it was written to
  void acquire() const;
  void check_facts(const system::FileFacts& before, const system::FileFacts& now) const;
  void release() const;
  [[noreturn]] void refuse(const std::string& why) const;

  std::string path_, name_;  // an empty name: the path is used
  mutable int fd_ = -1;
  bool shared_ = false;
  mutable std::mutex mutex_;  // guards users_ and fd_, once shared
  mutable int users_ = 0;
  system::FileFacts facts_;  // when it was opened
  bool seekable_ = false;
  bool owned_ = true;
  uint64_t size_ = 0, base_ = 0, position_ = 0;
  std::vector<std::byte> ahead_;  // bytes of a stream that were peeked at
  bool regular_ = false;          // a packed file, whose packed size is size_
  std::unique_ptr<class Packed> packed_;
  std::unique_ptr<Checksum> checksum_;
};

}  // namespace onefold::io
