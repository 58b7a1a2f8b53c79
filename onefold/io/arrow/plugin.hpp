// The interface between the library and onefold_arrow.so, which is the folder plugins/arrow/,
// compiled against Arrow C++.
#pragma once

#include <cstdint>

namespace onefold::io::arrow_plugin {

// A function that returns text returns null, or an error message that is valid until the thread's
// next call. One thread at a time uses an open file; any thread may use a batch.
enum class Form : int { parquet, file, stream };

struct Column {
  const char* name;
  const char* type;  // Onefold's name of the type; if it cannot be folded, Arrow's name
  bool folds;
  bool keys;        // a column of texts
  bool beyond;      // holds integers beyond 2^53, as far as known
  int64_t missing;  // -1: not known
};

// Reads the next bytes of a stream, fewer than n only at its end; -1: the read failed.
using Pull = int64_t (*)(void* from, void* to, int64_t n);
using Open = const char* (*)(const char* path, Form form, Pull pull, void* from, int64_t most_bytes,
                             void** file);
using Close = void (*)(void* file);
// Counts rows, columns and groups of rows (Parquet's row groups, an Arrow file's record batches).
// For a stream there are -1 rows, and 0 groups.
using Size = const char* (*)(void* file, int64_t* rows, int64_t* columns, int64_t* groups);
using Describe = const char* (*)(void* file, int64_t column, Column* of);
// Counts the rows of the groups before one. An Arrow file is read up to there.
using RowsBefore = const char* (*)(void* file, int64_t group, int64_t* rows);
// Selects the columns to read, in ascending order, each once, and the groups [first, end), and
// returns to the first row of these. A stream can be read only once; its groups are not used.
using Select = const char* (*)(void* file, const int64_t* columns, int64_t n, int64_t first,
                               int64_t end, int64_t most_rows, bool threads);
// Reads the next rows, which Drop frees; none at the end.
using Next = const char* (*)(void* file, void** batch, int64_t* rows);
// Copies rows [first, first + n) of the k-th selected column. `present` gets 1 for each value and 0
// for each null, whose element is 0; without nulls `present` need not be written.
using Values = const char* (*)(void* batch, int64_t k, int64_t first, int64_t n, void* to,
                               unsigned char* present, int64_t* nulls);
struct Text {
  const char* begin;
  int64_t bytes;  // -1: null
};
// Returns all rows of the k-th selected column, which live as long as the batch.
using Texts = const char* (*)(void* batch, int64_t k, Text* to);
using Drop = void (*)(void* batch);

// A column for Write.
struct OutputColumn {
  const char* name;
  const char* type;              // Onefold's name of the type; or "text" (UTF-8), or "bytes"
  const void* values;            // a bool is a byte
  const unsigned char* present;  // 0 for each null
  const Text* texts;             // for "text" and "bytes", instead of values
};
// Takes the next n bytes of the file; returns false if it cannot.
using Push = bool (*)(void* to, const void* bytes, int64_t n);
// Writes a Parquet file or, if `parquet` is false, an Arrow IPC file.
using Write = const char* (*)(const OutputColumn* columns, int64_t n, int64_t rows, bool parquet,
                              Push push, void* to);

}  // namespace onefold::io::arrow_plugin
