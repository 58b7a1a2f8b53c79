// What is known of a fold of files before any data are read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace onefold::io {

// How the files will be read; `onefold explain` prints it.
struct FilePlan {
  Plan plan;                // for the whole array; for an empty one if the shape is not known yet
  bool shape_known = true;  // false: a text, or raw data from a pipe
  std::vector<std::string> files;
  std::string format;
  Dims shape;  // the shape of all files together
  DType dtype = DType::f64;
  std::string access;     // "mapped windows" (or reads, where quicker), "reads", "stream", "text"
  Size window_bytes = 0;  // at a time
  bool grouped = false;   // answers whole in a window: folded as arrays are
  Size strips = 1;        // passes over disjoint columns; each byte is still read once
  Size bytes = 0;         // bytes to read; 0 if unknown (a pipe)
  std::string weights = {}, fweights = {};  // "f64 (3,)" where they stand beside the array
  std::optional<Size> segments = {};        // number of segments; `plan` is then for the whole axis
  std::vector<std::string> by = {};         // names of keys; then `plan` is of one group's column
  std::vector<std::string> columns = {};    // which groups have
};

}  // namespace onefold::io
