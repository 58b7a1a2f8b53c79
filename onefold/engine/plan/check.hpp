// Checks of every array and option, made before anything else.
#pragma once

#include <string>

#include "onefold/engine/plan/table.hpp"
#include "onefold/options.hpp"

namespace onefold {

struct Plan;

// Returns the number of elements of an array that has passed check_array, or of a part of it.
Size elements_of(const Dims& shape);

// Checks an enumerator's number, which a caller may have made from any integer.
//   throws  bad_option
void check_number(const char* what, const char* name, int number, int count,
                  const std::string& where);

// Returns the name (".axes") of the first option that is set but is not in `meant`, the list of
// options with a meaning for the request. Null: there is none.
const char* option_beside(const Options& given, std::initializer_list<std::string_view> meant);

// Checks that the number of elements, and the bytes from lowest to highest, fit 63 bits.
//   throws  shape_mismatch, bad_option
void check_array(const ArrayRef& x, const std::string& where);

// Returns the strides, along the axes of x, of an array that broadcasts to x.
//   name    how a message calls it: "the mask"
//   throws  shape_mismatch
Dims broadcast_strides(const ArrayRef& x, const ArrayRef& other, const std::string& name,
                       const std::string& where);

// Returns the strides, along the axes of x, of a mask that broadcasts to x.
//   throws  shape_mismatch, type_mismatch, bad_option
Dims mask_strides(const ArrayRef& x, const Mask& mask, const std::string& where);

// Returns Options::weights as the second array of `average`, with x's shape.
//   throws  bad_option: another op; shape_mismatch
ArrayRef second_of_weights(std::span<const OpRow* const> ops, const ArrayRef& x,
                           const Options& options);

// Returns whether each element's address is a multiple of its size.
bool is_aligned(const ArrayRef& x);

// Adds the plan's `initial` to a state of its layout, which stays canonical.
void add_initial(const Plan& plan, int64_t* state);

}  // namespace onefold
