// Folds of arrays in the memory of a CUDA device.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "onefold/array.hpp"

namespace onefold::python {

// Returns the array of a View of device memory, which keeps it.
//   throws  type_mismatch
const ArrayRef& array_on_device(const std::string& ops, nanobind::handle x);

void add_device(nanobind::module_& m);

}  // namespace onefold::python
