// What an op is: a named answer, computed from accumulators once all elements are in them.
#pragma once

#include "onefold/gathered.hpp"
#include "onefold/op_facts.hpp"

namespace onefold {

// An op is a struct with `about` and `finish`; its name is its file's. The struct has an underscore
// at its end because one of them is called std.
#if !defined(__CUDACC_RTC__)
template <class T>
concept OpDefinition = requires(const Gathered& g) {
  static_cast<const OpFacts&>(T::about);
  static_cast<Real>(T::finish(g));
};
#endif

}  // namespace onefold
