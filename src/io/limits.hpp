// How much memory a fold of files may take beside its answers: 100 MiB in all, of which the program
// itself needs about 10.
#pragma once

#include "onefold/base.hpp"

namespace onefold::io {

struct Limits {
  // Windows and buffers of all threads. 16 MiB each are as fast as larger ones; below 1 MiB mapping
  // costs more than it is worth, and files are read.
  Size window_bytes = Size{32} << 20;
  Size most_window_bytes = Size{16} << 20;
  Size least_window_bytes = Size{1} << 20;
  // States that are gathered at the same time.
  Size state_bytes = Size{40} << 20;
  friend bool operator==(const Limits&, const Limits&) = default;
};

}  // namespace onefold::io
