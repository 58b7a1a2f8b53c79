// Folds a problem by the library, in the way that its kind says.
#pragma once

#include "law/random/problem.hpp"

namespace onefold::law {

// How the library is asked: the same answers for each.
struct Way {
  int threads = 0;
  std::string_view target = {};
  bool in_order = false;  // x and y are copies without holes
};

// Values of each op, by the number of the answer. Throws onefold::Error, and std::logic_error if
// answers have another shape, or other keys, than the problem says.
using Values = std::vector<std::vector<Value>>;
Values run(const Problem&, const Way&);

}  // namespace onefold::law
