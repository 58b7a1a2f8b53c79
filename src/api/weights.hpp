// Weights: those of `average`, and those that repeat elements.
#pragma once

#include "onefold/fold.hpp"
#include "plan/plan.hpp"

namespace onefold {

// Options::weights as the second array of `average`, of x's shape.
//   throws  bad_option: another op; shape_mismatch
ArrayRef second_of_weights(std::string_view ops, const ArrayRef& x, const Options& options);

// What of them shows without reading one: throws as count_repeated, but for what they hold.
void check_repeated(const Plan& plan, const ArrayRef& x, const ArrayRef& fweights);

// Elements that Options::fweights make of one array.
//   throws  bad_option: a negative weight, a device, two arrays; type_mismatch, shape_mismatch;
//           overflow: 2^63 elements and more
Size count_repeated(const Plan& plan, const ArrayRef& x, const Options& options);

// Adds them to the states of all answers, canonical before and after. For `count_repeated` before.
void gather_repeated(const Plan& plan, const ArrayRef& x, const Options& options, int64_t* states);

}  // namespace onefold
