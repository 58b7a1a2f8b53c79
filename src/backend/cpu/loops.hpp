// A nest as the processor walks it: answers one after another, and each one's elements in the order
// of their indices, which feeds rely on; of memory, where nobody asks for an index, or where memory
// has long runs in which indices rise.
#pragma once

#include <vector>

#include "plan/nest.hpp"

namespace onefold::cpu_backend {

struct Loops {
  //   selects  a mask says which elements are there, which are then counted in order
  Loops(const Nest& nest, bool selects);

  std::vector<Axis> kept, folded;  // the slowest first
  Size bytes = 1;                  // of an element
  int64_t origin[3];               // of the first element
  Size answer, index;              // of the same
  Size repeats;                    // how often each element counts
  Size answers, elements;          // of the walk
  bool columns = false;            // neighbours belong to different answers
  bool answers_count_on = true;    // the answers of the walk are neighbours
  bool indices_count_on = true;    // so are indices, or nobody asks for them
  bool by_runs = false;            // they rise within runs of the fastest axis alone
};

}  // namespace onefold::cpu_backend
