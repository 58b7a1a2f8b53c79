#pragma once

#include <nanobind/nanobind.h>

namespace onefold::python {

void add_logsumexp(nanobind::module_& m);

}  // namespace onefold::python
