// Folds of arrays in the memory of a CUDA device.
#pragma once

namespace nanobind {
class module_;
}

namespace onefold::python {

void add_device(nanobind::module_& m);

}  // namespace onefold::python
