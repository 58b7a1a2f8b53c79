// Times of tables as arrays of NumPy.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <vector>

#include "onefold/io/time_text.hpp"

namespace onefold::python {

// Returns times as an array of datetime64 or timedelta64, NaT where there is none: dates in days,
// others in nanoseconds, or seconds if nanoseconds do not fit 64 bits. None: seconds are inexact,
// or do not fit either.
nanobind::object array_of_times(const std::vector<std::optional<io::Time>>& times);

}  // namespace onefold::python
