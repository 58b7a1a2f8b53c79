#include "onefold/system/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace onefold::system {

uint64_t physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  return pages < 0 || bytes < 0 ? 0 : static_cast<uint64_t>(pages) * static_cast<uint64_t>(bytes);
}

uint64_t available_memory() {
  std::ifstream in("/proc/meminfo");
  for (std::string word; in >> word;) {
    uint64_t kib = 0;
    if (word == "MemAvailable:" && in >> kib) return kib * 1024;
  }
  return 0;
}

void prefer_large_pages(void* memory, std::size_t bytes) {
  constexpr std::size_t page = 4096;
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(memory) % page;
  if (bytes <= before) return;
  ::madvise(static_cast<char*>(memory) + before, bytes - before, MADV_HUGEPAGE);
}

}  // namespace onefold::system
