// The order in which the processor visits a loop nest: one answer after another. The elements of an
// answer come in the order of their indices, which feeds need. They come in memory order if no op
// needs an index, or if memory has long runs with rising indices.
#pragma once

#include <vector>

#include "onefold/engine/plan/nest.hpp"

namespace onefold::cpu_backend {

struct Loops {
  //   selects  a mask selects elements; an element's index is then its number in loop order
  Loops(const Nest& nest, bool selects);

  std::vector<Axis> kept, folded;  // the slowest axis first
  Size bytes = 1;                  // bytes of an element
  int64_t origin[3];               // the first element's position in each input
  Size answer, index;              // the first element's answer and index
  Size repeats;                    // how many times each element counts
  Size answers, elements;          // numbers of answers and elements
  bool columns = false;            // neighbours in memory belong to different answers
  bool answers_count_on = true;    // the loops visit answers 0, 1, 2, .. in order
  // They also visit the indices of an answer in order, or no op needs indices.
  bool indices_count_on = true;
  bool by_runs = false;  // indices rise only within runs of the fastest axis
};

}  // namespace onefold::cpu_backend
