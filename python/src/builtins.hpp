// The ops as builtins of the module: METH_FASTCALL, so that a call of one costs 20 ns.
#pragma once

#include "python.hpp"

namespace onefold::python {

// throws  PythonError
void add_ops(PyObject* module);

}  // namespace onefold::python
