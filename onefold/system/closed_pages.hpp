// Memory that this process must not touch for a while: a touch is noted, and opens it again.
#pragma once

#include <cstddef>
#include <span>

namespace onefold::system {

class ClosedPages {
 public:
  explicit ClosedPages(std::size_t bytes);  // zeros, open. throws bad_alloc
  ~ClosedPages();
  ClosedPages(const ClosedPages&) = delete;
  ClosedPages& operator=(const ClosedPages&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }
  void close();
  // Returns whether somebody has touched it since it was closed.
  bool open();

 private:
  friend struct Touches;
  std::span<std::byte> bytes_;
  std::size_t all_ = 0;  // with the rest of the last page
  bool closed_ = false;
  volatile bool touched_ = false;
  ClosedPages* next_ = nullptr;  // of all in this process
};

}  // namespace onefold::system
