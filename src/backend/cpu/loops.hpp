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
  Size bytes = 1;                  // bytes of an element
  int64_t origin[3];               // position of the first element in each input
  Size answer, index;              // its answer and index
  Size repeats;                    // how often each element counts
  Size answers, elements;          // numbers of answers and elements
  bool columns = false;            // neighbours belong to different answers
  bool answers_count_on = true;    // consecutive answers have consecutive numbers
  bool indices_count_on = true;    // so have indices, or no op needs them
  bool by_runs = false;            // they rise within runs of the fastest axis alone
};

}  // namespace onefold::cpu_backend
