// What can be read on this machine, and what it lacks for the rest.
#pragma once

#include <string>
#include <vector>

#include "io/container.hpp"

namespace onefold::io {

struct Readable {
  std::vector<std::string> formats, codecs;
  std::vector<Lack> lacks;  // what of them this machine has no library for, and what to install
};
Readable readable_here();

}  // namespace onefold::io
