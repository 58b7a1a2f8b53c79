// onefold_arrow.so: columns of Parquet and Arrow files by Arrow C++, which PyPI's pyarrow carries.
// It knows nothing of Onefold but the five functions of io/arrow/plugin.hpp.
#include "io/arrow/plugin.hpp"

#include <arrow/api.h>
#include <arrow/io/api.h>
#include <arrow/ipc/api.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/statistics.h>

#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace {

using onefold::io::arrow_plugin::Column;

thread_local std::string error;

const char* failed(const std::string& what) {
  error = what.substr(0, what.find('\n'));
  return error.c_str();
}

struct Kind {
  const char* name;
  int bytes;
};
std::optional<Kind> kind_of(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return Kind{"bool", 1};
    case arrow::Type::INT8:
      return Kind{"i8", 1};
    case arrow::Type::INT16:
      return Kind{"i16", 2};
    case arrow::Type::INT32:
      return Kind{"i32", 4};
    case arrow::Type::INT64:
      return Kind{"i64", 8};
    case arrow::Type::UINT8:
      return Kind{"u8", 1};
    case arrow::Type::UINT16:
      return Kind{"u16", 2};
    case arrow::Type::UINT32:
      return Kind{"u32", 4};
    case arrow::Type::UINT64:
      return Kind{"u64", 8};
    case arrow::Type::HALF_FLOAT:
      return Kind{"f16", 2};
    case arrow::Type::FLOAT:
      return Kind{"f32", 4};
    case arrow::Type::DOUBLE:
      return Kind{"f64", 8};
    default:
      return {};
  }
}

// Memory of a file, at most so much. Arrow's own threads may give the last of it back after the
// file is closed, so that a pool lives for ever; it is small.
arrow::MemoryPool* make_pool(int64_t most) {
  static std::mutex mutex;
  static auto& pools = *new std::deque<arrow::CappedMemoryPool>;
  const std::lock_guard lock(mutex);
  return &pools.emplace_back(arrow::default_memory_pool(), most);
}

struct File {
  explicit File(int64_t most) : pool(make_pool(most)) {}

  arrow::MemoryPool* pool;
  std::shared_ptr<arrow::Schema> schema;
  std::unique_ptr<parquet::arrow::FileReader> parquet;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> ipc;
  std::shared_ptr<arrow::io::RandomAccessFile> source;
  int64_t rows = 0;
  std::string type_text;

  // Of the column that is being read: batches in order, and where the next row stands.
  int64_t column = -1, at = 0;
  std::unique_ptr<arrow::RecordBatchReader> batches;
  int next_batch = 0;
  std::shared_ptr<arrow::Array> array;
  int64_t in_array = 0;
};

arrow::Status open(File& f, const std::string& path, bool parquet) {
  ARROW_ASSIGN_OR_RAISE(f.source, arrow::io::ReadableFile::Open(path, f.pool));
  if (parquet) {
    parquet::ReaderProperties properties(f.pool);
    properties.enable_buffered_stream();
    parquet::ArrowReaderProperties how;
    how.set_batch_size(1 << 16);
    how.set_pre_buffer(false);
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(f.source, properties));
    builder.memory_pool(f.pool)->properties(how);
    ARROW_ASSIGN_OR_RAISE(f.parquet, builder.Build());
    f.parquet->set_use_threads(false);
    ARROW_RETURN_NOT_OK(f.parquet->GetSchema(&f.schema));
    f.rows = f.parquet->parquet_reader()->metadata()->num_rows();
    return arrow::Status::OK();
  }
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.memory_pool = f.pool;
  options.use_threads = false;
  ARROW_ASSIGN_OR_RAISE(f.ipc, arrow::ipc::RecordBatchFileReader::Open(f.source, options));
  f.schema = f.ipc->schema();
  ARROW_ASSIGN_OR_RAISE(f.rows, f.ipc->CountRows());
  return arrow::Status::OK();
}

// Where the values of a column stand in a Parquet file, which knows no structures; -1: it is one.
int leaf_of(File& f, int64_t column) {
  const auto& fields = f.parquet->manifest().schema_fields;
  const auto& field = fields[static_cast<std::size_t>(column)];
  return field.is_leaf() ? field.column_index : -1;
}

arrow::Result<int64_t> count_missing(File& f, int64_t column) {
  if (!f.schema->field(static_cast<int>(column))->nullable()) return 0;
  int64_t missing = 0;
  if (f.parquet) {
    const int leaf = leaf_of(f, column);
    const auto metadata = f.parquet->parquet_reader()->metadata();
    for (int g = 0; g < metadata->num_row_groups(); ++g) {
      const auto chunk = metadata->RowGroup(g)->ColumnChunk(leaf);
      const auto statistics = chunk->statistics();
      if (statistics == nullptr || !statistics->HasNullCount()) return -1;
      missing += statistics->null_count();
    }
    return missing;
  }
  return -1;
}

arrow::Status start(File& f, int64_t column) {
  f.column = column;
  f.at = 0;
  f.next_batch = 0;
  f.array = nullptr;
  f.in_array = 0;
  f.batches = nullptr;
  if (f.parquet) {
    std::vector<int> groups;
    for (int g = 0; g < f.parquet->num_row_groups(); ++g) groups.push_back(g);
    ARROW_ASSIGN_OR_RAISE(f.batches, f.parquet->GetRecordBatchReader(groups, {leaf_of(f, column)}));
    return arrow::Status::OK();
  }
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.memory_pool = f.pool;
  options.use_threads = false;
  options.included_fields = {static_cast<int>(column)};
  ARROW_ASSIGN_OR_RAISE(f.ipc, arrow::ipc::RecordBatchFileReader::Open(f.source, options));
  return arrow::Status::OK();
}

// The next array that has rows.
arrow::Status advance(File& f) {
  do {
    std::shared_ptr<arrow::RecordBatch> batch;
    if (f.parquet) {
      ARROW_RETURN_NOT_OK(f.batches->ReadNext(&batch));
    } else if (f.next_batch < f.ipc->num_record_batches()) {
      ARROW_ASSIGN_OR_RAISE(batch, f.ipc->ReadRecordBatch(f.next_batch++));
    }
    if (batch == nullptr) return arrow::Status::Invalid("it has fewer rows than it promises");
    f.array = batch->column(0);
    ARROW_RETURN_NOT_OK(f.array->ValidateFull());
    f.in_array = 0;
  } while (f.array->length() == 0);
  return arrow::Status::OK();
}

arrow::Status read(File& f, int64_t column, int64_t begin, int64_t n, char* to,
                   unsigned char* present) {
  if (f.column != column || begin < f.at) ARROW_RETURN_NOT_OK(start(f, column));
  while (n > 0) {
    if (f.array == nullptr || f.in_array == f.array->length()) ARROW_RETURN_NOT_OK(advance(f));
    const int64_t left = f.array->length() - f.in_array;
    if (f.at < begin) {
      const int64_t skip = std::min(left, begin - f.at);
      f.at += skip;
      f.in_array += skip;
      continue;
    }
    const int64_t some = std::min(left, n);
    const arrow::ArrayData& data = *f.array->data();
    const std::optional<Kind> kind = kind_of(*data.type);
    if (!kind) return arrow::Status::Invalid("its type is another than its schema says");
    const int64_t first = data.offset + f.in_array;
    const std::size_t bytes = static_cast<std::size_t>(kind->bytes);
    if (data.type->id() == arrow::Type::BOOL) {
      const auto& flags = static_cast<const arrow::BooleanArray&>(*f.array);
      for (int64_t k = 0; k < some; ++k) to[k] = flags.Value(f.in_array + k) ? 1 : 0;
    } else {
      std::memcpy(to, data.buffers[1]->data() + first * kind->bytes,
                  static_cast<std::size_t>(some) * bytes);
    }
    for (int64_t k = 0; k < some; ++k) {
      present[k] = f.array->IsValid(f.in_array + k) ? 1 : 0;
      if (present[k] == 0) std::memset(to + static_cast<std::size_t>(k) * bytes, 0, bytes);
    }
    to += static_cast<std::size_t>(some) * bytes;
    present += some;
    f.at += some;
    f.in_array += some;
    begin += some;
    n -= some;
  }
  return arrow::Status::OK();
}

// What others throw ends here.
template <class F>
const char* guarded(F f) {
  try {
    const arrow::Status status = f();
    return status.ok() ? nullptr : failed(status.message());
  } catch (const std::exception& e) {
    return failed(e.what());
  }
}

}  // namespace

extern "C" {

const char* onefold_arrow_open(const char* path, bool parquet, int64_t most_bytes, void** file) {
  auto f = std::make_unique<File>(most_bytes);
  const char* const why = guarded([&] { return open(*f, path, parquet); });
  if (why == nullptr) *file = f.release();
  return why;
}

void onefold_arrow_close(void* file) { delete static_cast<File*>(file); }

const char* onefold_arrow_size(void* file, int64_t* rows, int64_t* columns) {
  *rows = static_cast<File*>(file)->rows;
  *columns = static_cast<File*>(file)->schema->num_fields();
  return nullptr;
}

const char* onefold_arrow_describe(void* file, int64_t column, Column* of) {
  File& f = *static_cast<File*>(file);
  return guarded([&]() -> arrow::Status {
    const auto& field = f.schema->field(static_cast<int>(column));
    const std::optional<Kind> kind = kind_of(*field->type());
    f.type_text = field->type()->ToString().substr(0, 60);
    *of = {field->name().c_str(), kind ? kind->name : f.type_text.c_str(), kind.has_value(), -1};
    if (kind) {
      ARROW_ASSIGN_OR_RAISE(of->missing, count_missing(f, column));
    }
    return arrow::Status::OK();
  });
}

const char* onefold_arrow_read(void* file, int64_t column, int64_t begin, int64_t n, void* to,
                               unsigned char* present) {
  return guarded([&] {
    return read(*static_cast<File*>(file), column, begin, n, static_cast<char*>(to), present);
  });
}

}  // extern "C"
