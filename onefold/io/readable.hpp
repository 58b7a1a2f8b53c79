// Lists the formats that can be read on this machine, and the libraries missing for the others.
#pragma once

#include <string>
#include <vector>

#include "onefold/io/container.hpp"

namespace onefold::io {

struct Readable {
  std::vector<std::string> formats, codecs;
  std::vector<Lack> lacks;  // which of them lack a library here, and what to install
};
Readable readable_here();

}  // namespace onefold::io
