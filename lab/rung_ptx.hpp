// Rungs as NVRTC compiles them.
#pragma once

#include <string>

#include "lab/entry.hpp"

namespace onefold::lab {

// A kernel `rung` for blocks of `block` threads at most, with the lines of its source.
//   throws  unsupported, with NVRTC's words
std::string rung_ptx(const Entry& e, bool twin, unsigned block);

}  // namespace onefold::lab
