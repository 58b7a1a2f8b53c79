// Selects elements of a nest by a mask; the mask's strides are the third ones of each axis.
#pragma once

#include <cstddef>

#include "onefold/core/base.hpp"

namespace onefold {

struct Selector {
  enum class By : uint8_t {
    nothing,  // selects all elements
    bytes,    // elements whose byte is not 0; units are bytes
    bits,     // elements whose bit is 1, the lowest of a byte first; units are bits
  };
  By by = By::nothing;
  const std::byte* data = nullptr;

  bool selects() const { return by != By::nothing; }
  friend bool operator==(const Selector&, const Selector&) = default;
};

}  // namespace onefold
