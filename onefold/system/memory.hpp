// Memory, as the operating system gives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace onefold::system {

uint64_t physical_memory();   // bytes; 0: unknown
uint64_t available_memory();  // without swapping; 0: unknown
// Asks for large pages, which make memory that is used at random quicker. It may do nothing.
void prefer_large_pages(void* memory, std::size_t bytes);

inline constexpr std::size_t many_bytes = std::size_t{4} << 20;

// Gives a vector room for n values. The pages of many are large before they are written.
template <class T>
void reserve(std::vector<T>& values, std::size_t n) {
  std::vector<T> wider;
  wider.reserve(n);
  const std::size_t bytes = wider.capacity() * sizeof(T);
  if (bytes >= many_bytes) prefer_large_pages(wider.data(), bytes);
  wider.insert(wider.end(), values.begin(), values.end());
  values.swap(wider);
}

// Gives a vector n values, of many in large pages: one thread touches them first, page by page.
template <class T>
void resize(std::vector<T>& values, std::size_t n) {
  if (values.empty() && n >= many_bytes / sizeof(T)) {
    values.reserve(n);
    prefer_large_pages(values.data(), n * sizeof(T));
  }
  values.resize(n);
}

}  // namespace onefold::system
