// Memory, as the operating system gives it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onefold::system {

uint64_t physical_memory();   // bytes; 0: unknown
uint64_t available_memory();  // without swapping; 0: unknown
// Asks for large pages, which make memory that is used at random quicker. It may do nothing.
void prefer_large_pages(void* memory, std::size_t bytes);

}  // namespace onefold::system
