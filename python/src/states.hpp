// States of many slices: what gather() makes of an array along some of its axes.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "onefold/fold.hpp"

namespace onefold::python {

void add_states(nanobind::module_& m);

// States of the slices of `x` along options.axes; `y` null where the ops fold one array.
nanobind::object states_of(const std::string& ops, const ArrayRef& x, const ArrayRef* y,
                           const Options& options);

// A State, as Python has it, with no ops of its own.
nanobind::object state_object(State state);

}  // namespace onefold::python
