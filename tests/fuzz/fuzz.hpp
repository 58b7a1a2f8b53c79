// Shared by fuzzers of the readers: bytes as a file, and a fold that may fail only with documented
// errors.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "onefold/error.hpp"
#include "onefold/io/number.hpp"
#include "onefold/tables/file_plan.hpp"
#include "onefold/tables/fold_files.hpp"

namespace onefold::fuzz {

// A file in memory that always has the same name.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : fd_(::memfd_create("fuzz", 0)) {
    if (fd_ < 0 || ::write(fd_, bytes.data(), bytes.size()) < 0) std::abort();
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

// The first bytes of the input choose options; the rest is the file's contents.
class Choices {
 public:
  Choices(const uint8_t* data, std::size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}
  unsigned pick(unsigned below) {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(rest_[0]);
    rest_.remove_prefix(1);
    return byte % below;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

inline Axes pick_axes(Choices& c) {
  const Axes choices[] = {Axes(), {0}, {-1}, {1}, {0, 1}, Axes::none()};
  return choices[c.pick(6)];
}

inline DType pick_dtype(Choices& c) { return static_cast<DType>(c.pick(dtype_count)); }

inline std::string show(const Answers& answers) {
  std::string s;
  for (const Answer& a : answers.list) {
    s += a.op + to_string(a.shape);
    for (Size i = 0; i < a.size(); ++i) {
      s += " " + std::to_string(a[i].bits) + name_of(a.status[i]);
    }
  }
  return s;
}

// Returns the answers, or the error. A defect, or another exception, ends the program.
template <class F>
std::string outcome(F f) {
  try {
    return show(f());
  } catch (const Error& e) {
    if (e.code() == ErrorCode::internal || std::string_view(e.what()).empty()) std::abort();
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) std::abort();
    return std::string(name_of(e.code())) + ": " + e.what();
  }
}

inline void expect_same(const std::string& a, const std::string& b) {
  if (a == b) return;
  std::fprintf(stderr, "differ:\n%s\n%s\n", a.c_str(), b.c_str());
  std::abort();
}

}  // namespace onefold::fuzz
