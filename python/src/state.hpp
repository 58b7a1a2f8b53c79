// Folds by name, of arrays and of files, and states: the parts of the module made by nanobind.
#pragma once

#include <nanobind/nanobind.h>

namespace onefold::python {

void add_folds(nanobind::module_& m);
void add_state(nanobind::module_& m);

}  // namespace onefold::python
