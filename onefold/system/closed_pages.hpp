// Memory that this process must not touch for a while: a touch is noted, and opens it again.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace onefold::system {

class ClosedPages {
 public:
  explicit ClosedPages(std::size_t bytes);  // zeros, open. throws bad_alloc
  // Memory of others; it is never closed unless it begins with a page, and all of its last page may
  // be closed with it.
  explicit ClosedPages(std::span<std::byte> of_others, bool of_pages = false);
  ~ClosedPages();
  ClosedPages(const ClosedPages&) = delete;
  ClosedPages& operator=(const ClosedPages&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }
  // Closes bytes from..to, or closes them for writes alone. Touches of other bytes of their pages
  // are made one at a time on x86-64, up to `most_steps`; then, and on other processors, the page
  // stays open, and later touches in it go unnoticed.
  void close(std::size_t from, std::size_t to, bool for_writes, std::size_t tag);
  // Opens all, and returns the tags of what somebody has touched.
  std::vector<std::size_t> open();

 private:
  friend struct Touches;
  struct Closed {
    const std::byte *from, *to;
    std::size_t tag;
    bool for_writes, touched;
  };
  bool page_may_be_read(const std::byte* at) const;
  void protect(const std::byte* from, const std::byte* to, int access);
  void protect_closed();

  void add();

  std::span<std::byte> bytes_;
  bool own_ = false;
  static constexpr unsigned most_steps = 1 << 16;  // each takes some 5 us
  std::size_t all_ = 0;                            // with the rest of the last page
  unsigned steps_ = 0;
  std::vector<Closed> closed_;
  ClosedPages* next_ = nullptr;  // of all in this process
};

}  // namespace onefold::system
