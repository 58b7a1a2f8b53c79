// States of all slices of an array, which merge slice by slice: a chunk of onefold.dask.
#pragma once

#include <nanobind/nanobind.h>

namespace onefold::python {

void add_slices(nanobind::module_& m);

}  // namespace onefold::python
