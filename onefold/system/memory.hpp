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

// Gives a vector n values, of many in large pages: one thread touches them first, page by page.
template <class T>
void resize(std::vector<T>& values, std::size_t n) {
  constexpr std::size_t many = std::size_t{4} << 20;
  if (values.empty() && n >= many / sizeof(T)) {
    values.reserve(n);
    prefer_large_pages(values.data(), n * sizeof(T));
  }
  values.resize(n);
}

}  // namespace onefold::system
