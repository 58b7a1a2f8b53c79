// Expressions of arrays: their grammar is that of --let; onefold/operands/expr.py evaluates them.
#pragma once

#include <nanobind/nanobind.h>

namespace onefold::python {

void add_expressions(nanobind::module_& m);

}  // namespace onefold::python
