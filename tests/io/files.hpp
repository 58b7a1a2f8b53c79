// Files, pipes and .npy headers for tests of the readers.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "onefold/array.hpp"
#include "onefold/error.hpp"

namespace onefold::test {

// A folder that is removed when the test ends.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "onefold-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream out(path(name), std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }

 private:
  std::string path_;
};

// A named pipe that gives `bytes` once, in portions of `portion`.
class Pipe {
 public:
  Pipe(std::string path, std::string bytes, std::size_t portion = 1000) : path_(std::move(path)) {
    std::signal(SIGPIPE, SIG_IGN);
    if (::mkfifo(path_.c_str(), 0600) != 0) std::abort();
    writer_ = std::thread([this, path = path_, bytes = std::move(bytes), portion] {
      std::ofstream out(path, std::ios::binary);
      for (std::size_t at = 0; at < bytes.size() && out; at += portion) {
        const std::size_t n = std::min(portion, bytes.size() - at);
        out.write(bytes.data() + at, static_cast<std::streamsize>(n)).flush();
      }
      out.close();
      done_ = true;
    });
  }
  // If the reader stopped early, or never came, the writer must not wait for ever.
  ~Pipe() {
    const int end = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK);
    if (writer_.joinable()) {
      std::byte rest[4096];
      while (!done_) {
        if (::read(end, rest, sizeof rest) < 0) std::this_thread::yield();
      }
      writer_.join();
    }
    ::close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::atomic<bool> done_{false};
  std::thread writer_;
};

// Returns a type such as "<f8".
inline std::string descr_of(DType t, bool swapped = false) {
  const unsigned bytes = bytes_of(t);
  const char kind = t == boolean                           ? 'b'
                    : kind_of(t) == Kind::signed_integer   ? 'i'
                    : kind_of(t) == Kind::unsigned_integer ? 'u'
                                                           : 'f';
  return std::string(bytes == 1 ? "|" : swapped ? ">" : "<") + kind + std::to_string(bytes);
}

// Returns magic, version, length and `dict`, which is not checked.
inline std::string npy_header(const std::string& dict, int major = 1) {
  std::string s = "\x93NUMPY";
  s += static_cast<char>(major);
  s += '\0';
  for (int k = 0; k < (major == 1 ? 2 : 4); ++k) {
    s += static_cast<char>(dict.size() >> (8 * k) & 255);
  }
  return s + dict;
}

inline std::string npy_dict(const std::string& descr, const Dims& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + to_string(shape) + ", }\n";
}

// Returns the elements with their bytes reversed.
inline std::string swap_elements(std::string data, unsigned bytes) {
  for (std::size_t i = 0; i + bytes <= data.size(); i += bytes) {
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(i),
                 data.begin() + static_cast<std::ptrdiff_t>(i + bytes));
  }
  return data;
}

// Returns what `f` throws: "code: message", or "" if nothing.
template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return std::string(name_of(e.code())) + ": " + e.what();
  }
  return "";
}

}  // namespace onefold::test
