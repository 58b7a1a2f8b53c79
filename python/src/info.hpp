// Tells what this machine has: instruction sets, threads, devices.
#pragma once

namespace nanobind {
class module_;
}

namespace onefold::python {

void add_info(nanobind::module_& m);

}  // namespace onefold::python
