#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "input.hpp"
#include "onefold/request.hpp"

namespace onefold::python {

// Windows, with the memory of their begins and ends.
struct ReadWindows {
  Input begin, end;
  Windows windows;

  // Returns false if an array must be converted first.
  //   rule  width, ahead, step, least, begin, end: see onefold/request.hpp; begin and end are
  //         arrays, Views of those on a device, or None
  bool read(const std::string& ops, const nanobind::tuple& rule);
};

void add_windows(nanobind::module_& m);

}  // namespace onefold::python
