// Memory for the simulated machine.
#include "onefold/machine/sim/pages.hpp"

#include <sys/mman.h>

#include <new>

namespace onefold::sim {

void* take_pages(std::size_t bytes, Pages kind) {
  // Most of a shadow is never touched, so the system need not have memory for all of it.
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  if (kind == Pages::stack) ::mprotect(p, guard_bytes, PROT_NONE);
  if (kind == Pages::large) ::madvise(p, bytes, MADV_HUGEPAGE);
  return p;
}

void give_pages(void* pages, std::size_t bytes) { ::munmap(pages, bytes); }

}  // namespace onefold::sim
