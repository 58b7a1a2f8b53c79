#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "input.hpp"
#include "onefold/request.hpp"

namespace onefold::python {

// Windows, with the memory of their begins and ends.
struct ReadWindows {
  Input begin, end, anew;
  Windows windows;
  std::optional<ArrayRef> segments;  // offsets at which a scan begins anew

  // Returns false if an array must be converted first.
  //   rule  width, ahead, step, least, begin, end, anew: see onefold/request.hpp; begin and end are
  //         arrays, Views of those on a device, or None; anew is offsets of segments, or None
  bool read(const std::string& ops, const nanobind::tuple& rule);
};

void add_windows(nanobind::module_& m);

}  // namespace onefold::python
