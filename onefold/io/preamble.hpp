// Lines above the header of a table, such as a title.
#pragma once

#include <string>

#include "onefold/io/file.hpp"
#include "onefold/io/input.hpp"

namespace onefold::io {

// Returns "; if the table begins in line 3, pass --skip 2" if lines seem to stand above it; else an
// empty text. Nothing of the file may have been read yet.
std::string skip_hint(File& file, const InputOptions& options);

}  // namespace onefold::io
