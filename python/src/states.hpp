// States of many slices, which gather() makes of an array along some of its axes.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "onefold/fold.hpp"
#include "onefold/states.hpp"

namespace onefold::python {

void add_states(nanobind::module_& m);

// Gathers the states of x's slices along options.axes; `y` is null if the ops fold one array.
nanobind::object states_of(const std::string& ops, const ArrayRef& x, const ArrayRef* y,
                           const Options& options, Size bytes);

// Returns a copy of what an object of Python's States holds.
States states_in(nanobind::handle states);

// Makes Python's State, which knows no ops.
nanobind::object state_object(State state);

}  // namespace onefold::python
