// The order in which the processor goes through a loop nest: one answer after another. An answer's
// elements come in the order of their indices, on which feeds rely; or in the order of memory, if
// no op needs an index or if memory has long runs with ascending indices.
#pragma once

#include <vector>

#include "plan/nest.hpp"

namespace onefold::cpu_backend {

struct Loops {
  //   selects  a mask selects elements, which are then numbered in order
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
