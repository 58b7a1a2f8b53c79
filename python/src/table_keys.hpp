// Keys of groups of tables, as Python has them.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "onefold/tables/group_fold.hpp"

namespace onefold::python {

// Bytes that are no UTF-8 become surrogates, as in names of files.
nanobind::object name_of_column(const std::string& name);
// Returns the k-th column of the keys: an array of its type, or of objects if some are text.
nanobind::object array_of_keys(const io::Grouped& grouped, std::size_t k);

}  // namespace onefold::python
