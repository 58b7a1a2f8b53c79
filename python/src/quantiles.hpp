// Quantiles of arrays on a device.
#pragma once

#include <nanobind/nanobind.h>

namespace onefold::python {

void add_quantiles(nanobind::module_& m);

}  // namespace onefold::python
