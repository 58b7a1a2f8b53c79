// Plain readers: the measured limit of this machine. They fold nothing but an exclusive or.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

struct Reader {
  std::string name;
  void (*read)(const std::byte* p, std::size_t bytes);
};
// With and without prefetch, of the widest vectors here and of 256 bits.
std::vector<Reader> readers();

// The whole array by `threads` threads, each an equal part.
void read_by_threads(const Reader& reader, const std::byte* p, std::size_t bytes, int threads);

// The quickest of all readers for this array.
Reader fastest_reader(const std::byte* p, std::size_t bytes, int threads);

}  // namespace bench
