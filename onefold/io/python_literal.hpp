// Parses the dict literal of an .npy header, and no other Python.
//
//   header   '{' (key ':' value (',' key ':' value)* ','?)? '}' white space
//   key      a quoted string; each of descr, fortran_order and shape once, no other
//   descr    a quoted string, or a list or tuple, which means a structured type and is not parsed
//   shape    a tuple of decimal integers; Python 2 wrote them with an L
//   strings  no backslash, no line break
#pragma once

#include <string>
#include <string_view>

#include "onefold/array.hpp"

namespace onefold::io {

struct NpyDict {
  std::string descr;
  bool structured = false;  // descr is not a string; the rest of the header has not been read
  bool fortran_order = false;
  Dims shape;
};

// Returns true, or false with the error in `why`.
bool parse_npy_dict(std::string_view text, NpyDict& dict, std::string& why);

}  // namespace onefold::io
