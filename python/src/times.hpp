// Times of tables as arrays of NumPy.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string_view>
#include <vector>

namespace onefold::python {

// Returns times as an array of datetime64 or timedelta64, NaT for texts that are none: dates in
// days, others in nanoseconds, or seconds if nanoseconds do not fit 64 bits. None: seconds are
// inexact.
nanobind::object array_of_times(const std::vector<std::optional<std::string_view>>& texts);

}  // namespace onefold::python
