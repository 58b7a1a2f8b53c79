// Gets memory filled with zeros from the operating system, for the simulated machine.
#pragma once

#include <cstddef>

namespace onefold::sim {

enum class Pages {
  stack,  // an access to its lowest guard_bytes ends the program
  large   // in large pages, if the system has some
};
constexpr std::size_t guard_bytes = 4096;

// Returns `bytes` zero bytes. throws bad_alloc
void* take_pages(std::size_t bytes, Pages kind);
void give_pages(void* pages, std::size_t bytes);

}  // namespace onefold::sim
