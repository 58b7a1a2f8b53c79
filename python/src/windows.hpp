#pragma once

#include <nanobind/nanobind.h>

namespace onefold::python {

void add_windows(nanobind::module_& m);

}  // namespace onefold::python
