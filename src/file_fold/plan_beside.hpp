// The plan of a fold in memory, with weights or offsets in files beside the array.
#pragma once

#include "file_fold/fold_files.hpp"

namespace onefold::io {

// Names of files; empty: none.
struct Beside {
  std::string weights, fweights, offsets;
  bool any() const { return !(weights.empty() && fweights.empty() && offsets.empty()); }
};

// Opens and checks what headers show, reads no elements, weights or offsets.
//   throws  as load_array and fold do: but not for what weights and offsets hold
FilePlan plan_beside(const Request& request, const std::string& file, const Beside& beside,
                     const InputOptions& input);

}  // namespace onefold::io
