// How the source declares an array of a kernel: PTX has only its bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace onefold::lab {

struct Declared {
  std::size_t element = 0;         // bytes; 0: the type is none that C++ has by itself
  std::vector<std::size_t> inner;  // extents but the first; empty: one dimension, or not known
};

// Of "__shared__ float tile[T][T + 1];", `__device__` and `__constant__` too. Extents may be
// numbers, macros and constants of the text, with + - * and /.
std::optional<Declared> declared_in(const std::string& source, const std::string& name);

// "[2][5]" of element 37 of rows of 16.
std::string index_text(const Declared& d, long long index);

}  // namespace onefold::lab
