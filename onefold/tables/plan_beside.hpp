// Plans a fold in memory of an array file, with weights or offsets in other files.
#pragma once

#include "onefold/tables/fold_files.hpp"

namespace onefold::io {

// Names of files; an empty name means no file.
struct SideFiles {
  std::string weights, fweights, offsets;
  bool any() const { return !(weights.empty() && fweights.empty() && offsets.empty()); }
};

// Opens the files and checks their headers, without reading elements, weights or offsets.
//   throws  as load_array and fold do, except for errors in the values of weights and offsets
FilePlan plan_beside(const Query& query, const std::string& file, const SideFiles& beside,
                     const InputOptions& input);

}  // namespace onefold::io
