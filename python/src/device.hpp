// Folds of arrays in the memory of a CUDA device.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "onefold/options.hpp"

namespace onefold::python {

// Returns the array of a View of device memory, which keeps it.
//   throws  type_mismatch
const ArrayRef& array_on_device(const std::string& ops, nanobind::handle x);

// Returns the options of a fold on x's device. Arrays among the keywords are Views; the caller
// keeps them alive.
Options options_there(const std::string& ops, const ArrayRef& x, uintptr_t stream,
                      const nanobind::dict& keywords);

void add_device(nanobind::module_& m);

}  // namespace onefold::python
