#pragma once

#include <nanobind/nanobind.h>

#include "onefold/request.hpp"

namespace onefold::python {

// Returns windows by a rule: width, ahead, step, least.
Windows windows_of(const nanobind::tuple& rule);

void add_windows(nanobind::module_& m);

}  // namespace onefold::python
