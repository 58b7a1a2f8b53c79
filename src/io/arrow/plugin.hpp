// The interface between the library and onefold_arrow.so, which is the folder arrow/, compiled
// against Arrow C++.
#pragma once

#include <cstdint>

namespace onefold::io::arrow_plugin {

// Where a function gives text, it is null, or what went wrong, which holds until the thread's next
// call. An open file is used by one thread at a time; batches each by any.
enum class Form : int { parquet, file, stream };

struct Column {
  const char* name;
  const char* type;  // as Onefold spells it; what cannot be folded: as Arrow does
  bool folds;
  bool keys;        // it has texts
  bool beyond;      // known to hold integers beyond 2^53
  int64_t missing;  // -1: not known
};

// Of a stream: its next bytes, fewer than n only at the end; -1: it failed.
using Pull = int64_t (*)(void* from, void* to, int64_t n);
using Open = const char* (*)(const char* path, Form form, Pull pull, void* from, int64_t most_bytes,
                             void** file);
using Close = void (*)(void* file);
// rows: -1 of a stream
using Size = const char* (*)(void* file, int64_t* rows, int64_t* columns);
using Describe = const char* (*)(void* file, int64_t column, Column* of);
// From now on these columns are read, from the first row on; in ascending order, each once. A
// stream can be read once.
using Select = const char* (*)(void* file, const int64_t* columns, int64_t n, int64_t most_rows,
                               bool threads);
// The next rows, which Drop gives back; none at the end.
using Next = const char* (*)(void* file, void** batch, int64_t* rows);
// Of the k-th selected column rows [first, first + n). `present` gets 1 for each value, 0 for each
// null, whose element is 0; where there is no null it may be left as it is.
using Values = const char* (*)(void* batch, int64_t k, int64_t first, int64_t n, void* to,
                               unsigned char* present, int64_t* nulls);
struct Text {
  const char* begin;
  int64_t bytes;  // -1: null
};
// All rows of the k-th selected column; they live as long as the batch.
using Texts = const char* (*)(void* batch, int64_t k, Text* to);
using Drop = void (*)(void* batch);

}  // namespace onefold::io::arrow_plugin
