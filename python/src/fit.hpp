#pragma once

#include <nanobind/nanobind.h>

namespace onefold::python {

void add_fit(nanobind::module_& m);

}  // namespace onefold::python
