// Plain readers, which show the limit of this machine. They only combine words by exclusive or.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

struct Reader {
  std::string name;
  void (*read)(const std::byte* p, std::size_t bytes);
};
// Readers with and without prefetch, for the widest vectors here and for 256 bits.
std::vector<Reader> readers();

// Reads the whole array by `threads` threads; each reads an equal part.
void read_by_threads(const Reader& reader, const std::byte* p, std::size_t bytes, int threads);

// Returns the reader that is fastest for this array.
Reader fastest_reader(const std::byte* p, std::size_t bytes, int threads);

}  // namespace bench
