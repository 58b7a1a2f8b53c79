// An open file of Arrow's, and batches of its rows.
#pragma once

#include <arrow/api.h>
#include <arrow/io/api.h>
#include <arrow/ipc/api.h>
#include <parquet/arrow/reader.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onefold/io/arrow/plugin.hpp"

namespace onefold_arrow {

namespace plugin = onefold::io::arrow_plugin;

struct Kind {
  const char* name;
  int bytes;
};
// The kind of a type's values, if Onefold can fold them.
std::optional<Kind> kind_of(const arrow::DataType& type);
// Whether values of this type can be read as texts.
bool has_texts(const arrow::DataType& type);

// The groups of rows: row groups of Parquet, or record batches.
struct Groups {
  int first = 0, end = 0;
};

// Where a column is: in a field of the file's schema, or in a member of its structures.
struct Place {
  int field = 0;
  std::vector<int> members = {};
};

struct File {
  arrow::MemoryPool* pool = nullptr;
  std::shared_ptr<arrow::Schema> schema;  // the columns: members of a structure s are s.x, s.y
  std::shared_ptr<arrow::Schema> fields;  // as the file has them
  std::vector<Place> places;              // of the columns
  std::shared_ptr<arrow::io::RandomAccessFile> source;
  std::shared_ptr<class PullStream> stream;
  std::unique_ptr<parquet::arrow::FileReader> parquet;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> ipc;
  int64_t rows = -1;
  std::string type_text;

  // The columns and groups that are read, and how many rows these promise; -1: that is not known.
  std::vector<int> columns;
  Groups read;
  int64_t promised = -1;
  int64_t most_rows = 0, seen = 0;
  std::unique_ptr<arrow::RecordBatchReader> parquet_batches;
  std::shared_ptr<arrow::RecordBatchReader> stream_batches;
  int next_batch = 0;  // of an Arrow file
  std::shared_ptr<arrow::RecordBatch> batch;
  int64_t in_batch = 0;
};

struct Batch {
  std::shared_ptr<arrow::RecordBatch> rows;
  std::deque<std::string> made;  // texts that were converted from other types
};

arrow::Status open(File& f, const std::string& path, plugin::Form form, plugin::Pull pull,
                   void* from, int64_t most_bytes);
arrow::Result<plugin::Column> describe(File& f, int column);
int groups(const File& f);  // 0 for a stream
arrow::Result<int64_t> rows_before(const File& f, int group);
arrow::Status select(File& f, std::vector<int> columns, Groups read, int64_t most_rows,
                     bool threads);
// Returns null at the end of the file.
arrow::Result<std::unique_ptr<Batch>> next(File& f);
arrow::Status values(const Batch& batch, int k, int64_t first, int64_t n, char* to,
                     unsigned char* present, int64_t* nulls);
arrow::Status texts(Batch& batch, int k, plugin::Text* to);
arrow::Status write(const std::vector<plugin::OutputColumn>& columns, int64_t rows, bool parquet,
                    plugin::Push push, void* to);

}  // namespace onefold_arrow
