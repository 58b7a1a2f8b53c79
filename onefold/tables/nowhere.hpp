// The address of an array that is only described: its elements are never read.
#pragma once

#include <cstddef>

namespace onefold::io {

alignas(64) inline constexpr std::byte nowhere[64] = {};

}  // namespace onefold::io
