// A part of a scan that goes on where an earlier scan ended.
#pragma once

#include <vector>

#include "onefold/core/base.hpp"

namespace onefold {

// Elements of an axis from `first` up to the next segment: answer i of it is that of the elements
// in `state` and of its own up to i. All options but .threads are as in the earlier scan.
struct ScanSegment {
  Size first;   // the first segment's is 0
  Size before;  // elements ahead of it, which indices count
  // Of these, canonical: number and value of each word that a cleared state has not, since most
  // words of a sum are 0. Becomes the state of the segment's elements, too.
  std::vector<int64_t>* state;
};

}  // namespace onefold
