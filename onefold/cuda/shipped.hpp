// Kernels that are compiled beforehand, for machines without a compiler or to save its time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onefold/cuda/kernels.hpp"

namespace onefold::cuda_backend {

// Returns the key of a shipped image: a hash of all that it depends on, except driver and compiler.
std::string image_key(const std::string& source, std::string_view chip);

// Returns the chips whose kernels this chip can run, the best first: its own, then earlier ones of
// its generation.
std::vector<std::string> chips_for(std::string_view chip);

struct Chip {
  const char* name;
  std::size_t shared_bytes;  // the most that a block may use; launch configurations depend on it
};
std::span<const Chip> known_chips();

// Folds for which modules are made in addition to those of whole arrays without masks.
struct ShippedFolds {
  bool axes = false, segments = false;
  bool masks = false;  // kernels for masks and omitted NaN, too: of whole arrays, and of the above
};

// Returns modules with every kernel that folds of these ops and this type may launch, with answers
// on the host or the device. Whole arrays of pairs (except for dot) and masked ones are folded as
// rows.
//   throws  what make_plan does
std::vector<std::vector<Kernel>> modules_of(std::string_view ops, DType dtype, const Chip& chip,
                                            const ShippedFolds& folds = {});

}  // namespace onefold::cuda_backend
