// The facts about a fold of files that are known before data are read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onefold/engine/plan/plan.hpp"

namespace onefold::io {

// How the files will be read; `onefold explain` prints it.
struct FilePlan {
  Plan plan;                // for the whole array; for an empty one if the shape is not known yet
  bool shape_known = true;  // false: a text, or raw data from a pipe
  std::vector<std::string> files;
  std::string format;
  Dims shape;  // the shape of all files together
  DType dtype = DType::f64;
  std::string access;  // "mapped windows" (also if only some are mapped), "reads", "stream", "text"
  Size window_bytes = 0;  // bytes of a window
  bool grouped = false;   // a window has whole answers, which are folded like arrays
  Size strips = 1;        // passes over disjoint columns; each byte is still read once
  Size bytes = 0;         // bytes to read; 0 if unknown (a pipe)
  std::string weights = {}, fweights = {};  // "f64 (3,)", if weights are read from another file
  std::optional<Size> segments = {};        // number of segments; `plan` is then for the whole axis
  // Key columns; if there are any, `plan` is for one column of one group.
  std::vector<std::string> by = {};
  std::vector<std::string> columns = {};  // names of the columns that groups fold
};

}  // namespace onefold::io
