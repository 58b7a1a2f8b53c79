// Says what an op is: a named answer, computed from accumulators after they have all elements.
#pragma once

#include "onefold/core/gathered.hpp"
#include "onefold/core/op_facts.hpp"

namespace onefold {

// An op is a struct with `about` and `finish`, in a file of its name. The struct's name ends in an
// underscore, because `std` alone could not name one.
#if !defined(__CUDACC_RTC__)
template <class T>
concept OpDefinition = requires(const Gathered& g) {
  static_cast<const OpFacts&>(T::about);
  static_cast<Real>(T::finish(g));
};
#endif

}  // namespace onefold
