// Checks of every array and option, made before anything else.
#pragma once

#include <string>

#include "onefold/options.hpp"
#include "plan/table.hpp"

namespace onefold {

struct Plan;

// The number of elements of an array that has passed check_array, or of a part of one.
Size elements_of(const Dims& shape);

// The number of an enumerator, which a caller may have made of anything.
//   throws  bad_option
void check_number(const char* what, const char* name, int number, int count,
                  const std::string& where);

// The first option that is set and is not among those that are `meant`, which have a meaning for a
// request: ".axes". Null: there is none.
const char* option_beside(const Options& given, std::initializer_list<std::string_view> meant);

// Elements of an array, and bytes from its lowest to its highest, must fit 63 bits.
//   throws  shape_mismatch, bad_option
void check_array(const ArrayRef& x, const std::string& where);

// The strides along the axes of x of an array that broadcasts to it.
//   name    what a message calls it: "the mask"
//   throws  shape_mismatch
Dims broadcast_strides(const ArrayRef& x, const ArrayRef& other, const std::string& name,
                       const std::string& where);

// The strides along the axes of x of a mask that broadcasts to it.
//   throws  shape_mismatch, type_mismatch, bad_option
Dims mask_strides(const ArrayRef& x, const Mask& mask, const std::string& where);

// Options::weights as the second array of `average`, of x's shape.
//   throws  bad_option: another op; shape_mismatch
ArrayRef second_of_weights(std::span<const OpRow* const> ops, const ArrayRef& x,
                           const Options& options);

// Adds the plan's `initial` to a state of its layout, canonical before and after.
void add_initial(const Plan& plan, int64_t* state);

}  // namespace onefold
