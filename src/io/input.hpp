// Arrays in files and pipes: opened, checked, and handed over in pieces. One file per format.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "onefold/array.hpp"

namespace onefold::io {

// What the command line says about its input.
struct InputOptions {
  std::string format;          // "npy", "raw", "text"; empty: by extension, then by content
  std::optional<DType> dtype;  // raw needs it; text: f64 unless given; npy must agree
  std::optional<Dims> shape;   // raw: C order; one dimension by default
  uint64_t offset = 0;         // raw: bytes before the data
};

}  // namespace onefold::io
