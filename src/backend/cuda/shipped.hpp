// Kernels that are compiled beforehand, for machines without a compiler or to save its time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/cuda/kernels.hpp"

namespace onefold::cuda_backend {

// Under which an image is shipped: all that it depends on, but no driver and no compiler.
std::string image_key(const std::string& source, std::string_view chip);

// The chips whose kernels a chip can run, the best first: itself, and earlier chips of its
// generation.
std::vector<std::string> chips_for(std::string_view chip);

struct Chip {
  const char* name;
  std::size_t shared_bytes;  // the most that a block may use; launch configurations depend on it
};
std::span<const Chip> known_chips();

// Which folds, beside those of whole arrays without masks, modules are made for.
struct ShippedFolds {
  bool axes = false, segments = false;
  bool masks = false;  // those under a mask or without NaN, too: of whole arrays, and of the above
};

// Modules of all that folds of these ops and this type may launch, with answers to the host and on
// the device. A whole array of pairs, but for dot, is folded as a row, and so is one under a mask.
//   throws  what make_plan does
std::vector<std::vector<Kernel>> modules_of(std::string_view ops, DType dtype, const Chip& chip,
                                            const ShippedFolds& folds = {});

}  // namespace onefold::cuda_backend
