// Memory between two inaccessible pages: a read beyond an array ends the test.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <stdexcept>

namespace onefold::test {

class Guarded {
 public:
  explicit Guarded(std::size_t bytes) {
    page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    size_ = (bytes + page_ - 1) / page_ * page_;
    void* p = mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED ||
        mprotect(static_cast<std::byte*>(p) + page_, size_, PROT_READ | PROT_WRITE) != 0) {
      throw std::runtime_error("no guarded memory");
    }
    begin_ = static_cast<std::byte*>(p) + page_;
  }
  ~Guarded() { munmap(begin_ - page_, size_ + 2 * page_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  std::byte* begin() const { return begin_; }
  std::byte* end() const { return begin_ + size_; }

 private:
  std::size_t page_ = 0, size_ = 0;
  std::byte* begin_ = nullptr;
};

}  // namespace onefold::test
