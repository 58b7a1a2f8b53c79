// `fweights`, by which elements are repeated, and a check of weights. (The weights of `average` are
// a second array.)
#pragma once

#include <limits>

#include "onefold/fold.hpp"

namespace onefold {

struct Plan;

// Returns the number of elements after Options::fweights has repeated them.
//   throws  bad_option: a negative weight, a device, two arrays; type_mismatch, shape_mismatch;
//           overflow: 2^63 elements and more. Messages number the elements after `before` others
Size count_repeated(const Plan& plan, const ArrayRef& x, const Options& options, Size before = 0);

// Adds the repeated elements to all answers' states, which stay canonical; after count_repeated.
void gather_repeated(const Plan& plan, const ArrayRef& x, const Options& options, int64_t* states);

// Returns whether a mask takes an element.
//   unit  its strides times the element's place along each axis
bool takes(const Mask& mask, int64_t unit);

// Checks the weight of element i of a slice.
//   throws  bad_option: it is negative, NaN or infinite
[[noreturn]] void refuse_weight(const std::string& name, Size i, double w);
inline void check_weight(const std::string& name, Size i, double w) {
  if (!(w >= 0 && w <= std::numeric_limits<double>::max())) refuse_weight(name, i, w);
}

// Throws if a device has found that some answer's weights are negative, or make 2^63 elements.
void refuse_bad_weights(const Answers& answers);

}  // namespace onefold
