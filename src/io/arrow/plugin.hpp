// What the library asks of onefold_arrow.so, which is arrow/plugin.cpp compiled against Arrow C++.
#pragma once

#include <cstdint>

namespace onefold::io::arrow_plugin {

// All functions give null, or what went wrong, which holds until the thread's next call. An open
// file is used by one thread at a time.
struct Column {
  const char* name;
  const char* type;  // as Onefold spells it; what cannot be folded: as Arrow does
  bool folds;
  int64_t missing;  // -1: not known
};

using Open = const char* (*)(const char* path, bool parquet, int64_t most_bytes, void** file);
using Close = void (*)(void* file);
using Size = const char* (*)(void* file, int64_t* rows, int64_t* columns);
using Describe = const char* (*)(void* file, int64_t column, Column* of);
// Rows [begin, begin + n) of a column. `present` gets 1 for each value, 0 for each null, whose
// element is 0. Cheap where rows are asked for in order.
using Read = const char* (*)(void* file, int64_t column, int64_t begin, int64_t n, void* to,
                             unsigned char* present);

}  // namespace onefold::io::arrow_plugin
