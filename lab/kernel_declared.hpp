// Finds how the source declares a kernel's array, since PTX knows only its bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace onefold::lab {

struct Declared {
  std::size_t element = 0;         // bytes; 0: not a built-in type of C++
  std::vector<std::size_t> inner;  // extents except the first; empty: one dimension, or unknown
};

// Finds "__shared__ float tile[T][T + 1];", also with `__device__` or `__constant__`. Extents may
// have numbers, macros and constants of the text, with + - * and /.
std::optional<Declared> declared_in(const std::string& source, const std::string& name);

// Returns "[2][5]" for element 37 of rows of 16.
std::string index_text(const Declared& d, long long index);

}  // namespace onefold::lab
