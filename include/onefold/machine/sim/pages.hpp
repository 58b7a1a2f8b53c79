// Memory of zeros for the simulated machine, from the operating system.
#pragma once

#include <cstddef>

namespace onefold::sim {

enum class Pages {
  stack,  // its lowest guard_bytes end the program when they are touched
  large   // by large pages where the system has some
};
constexpr std::size_t guard_bytes = 4096;

// throws bad_alloc
void* take_pages(std::size_t bytes, Pages kind);
void give_pages(void* pages, std::size_t bytes);

}  // namespace onefold::sim
