#include "file.hpp"

#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <mutex>

namespace onefold_arrow {
namespace {

// A memory pool with a limit, for one file. Arrow's threads may free its last bytes after the
// file is closed. So a pool, which is small, is never destroyed.
arrow::MemoryPool* make_pool(int64_t most) {
  static std::mutex mutex;
  static auto& pools = *new std::deque<arrow::CappedMemoryPool>;
  const std::lock_guard lock(mutex);
  return &pools.emplace_back(arrow::default_memory_pool(), most);
}

}  // namespace

// Bytes that are read by a callback of the stream's opener.
class PullStream : public arrow::io::InputStream {
 public:
  PullStream(plugin::Pull pull, void* from, arrow::MemoryPool* pool)
      : pull_(pull), from_(from), pool_(pool) {}

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return at_; }
  arrow::Result<int64_t> Read(int64_t n, void* to) override {
    const int64_t got = pull_(from_, to, n);
    if (got < 0) return arrow::Status::IOError("its bytes cannot be read");
    at_ += got;
    ended_ |= got < n;
    return got;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t n) override {
    // A header may promise an absurd size, so memory grows with the bytes that were read.
    ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateResizableBuffer(0, pool_));
    for (int64_t room = 0; room < n;) {
      const int64_t more = std::min(n - room, std::max(room, int64_t{1} << 16));
      ARROW_RETURN_NOT_OK(buffer->Resize(room + more, false));
      ARROW_ASSIGN_OR_RAISE(const int64_t got, Read(more, buffer->mutable_data() + room));
      room += got;
      if (got == more) continue;
      ARROW_RETURN_NOT_OK(buffer->Resize(room, false));
      break;
    }
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }
  // True after a read that asked for more bytes than remained.
  bool ended() const { return ended_; }

 private:
  plugin::Pull pull_;
  void* from_;
  arrow::MemoryPool* pool_;
  int64_t at_ = 0;
  bool closed_ = false, ended_ = false;
};

namespace {

arrow::ipc::IpcReadOptions options_of(const File& f) {
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.memory_pool = f.pool;
  options.use_threads = false;
  return options;
}

const Place& place_of(const File& f, int column) {
  return f.places[static_cast<std::size_t>(column)];
}

// The number of a column's leaf in a Parquet file; -1 if the column is a list or the like.
int leaf_of(const File& f, int column) {
  const auto at = [](const std::vector<parquet::arrow::SchemaField>& fields, int k) {
    return &fields[static_cast<std::size_t>(k)];
  };
  const Place& place = place_of(f, column);
  const auto* field = at(f.parquet->manifest().schema_fields, place.field);
  for (const int k : place.members) field = at(field->children, k);
  return field->is_leaf() ? field->column_index : -1;
}

// Adds a field as a column, or the members of a structure as columns of their own.
void add_columns(const arrow::Field& field, const std::string& name, bool nullable, Place place,
                 File& f, arrow::FieldVector& columns) {
  nullable |= field.nullable();
  const arrow::DataType& type = *field.type();
  if (type.id() != arrow::Type::STRUCT || type.num_fields() == 0) {
    columns.push_back(arrow::field(name, field.type(), nullable));
    f.places.push_back(std::move(place));
    return;
  }
  place.members.push_back(0);
  for (int k = 0; k < type.num_fields(); ++k) {
    const arrow::Field& member = *type.field(k);
    place.members.back() = k;
    add_columns(member, name + "." + member.name(), nullable, place, f, columns);
  }
}

// Replaces the schema of the fields by that of the columns.
void set_columns(File& f) {
  arrow::FieldVector columns;
  f.fields = f.schema;
  for (int k = 0; k < f.fields->num_fields(); ++k) {
    const arrow::Field& field = *f.fields->field(k);
    add_columns(field, field.name(), false, {k}, f, columns);
  }
  f.schema = arrow::schema(std::move(columns));
}

// The fields that hold the columns, in ascending order.
std::vector<int> fields_of(const File& f, const std::vector<int>& columns) {
  std::vector<int> fields;
  for (const int column : columns) {
    const int field = place_of(f, column).field;
    if (fields.empty() || fields.back() != field) fields.push_back(field);
  }
  return fields;
}

// The selected columns of a batch that has their fields. Parquet leaves out members of structures
// that were not selected, so members are found by their names.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> columns_in(const File& f,
                                                              const arrow::RecordBatch& batch) {
  const std::vector<int> fields = fields_of(f, f.columns);
  if (batch.num_columns() != static_cast<int>(fields.size())) {
    return arrow::Status::Invalid("a batch has ", batch.num_columns(), " columns, and ",
                                  fields.size(), " were asked for");
  }
  arrow::FieldVector named;
  arrow::ArrayVector columns;
  for (const int column : f.columns) {
    const Place& place = place_of(f, column);
    const auto at = std::find(fields.begin(), fields.end(), place.field) - fields.begin();
    std::shared_ptr<arrow::Array> array = batch.column(static_cast<int>(at));
    const arrow::DataType* type = f.fields->field(place.field)->type().get();
    for (const int k : place.members) {
      const std::string& name = type->field(k)->name();
      const auto& structure = static_cast<const arrow::StructArray&>(*array);
      const int child = array->type_id() == arrow::Type::STRUCT
                            ? structure.struct_type()->GetFieldIndex(name)
                            : -1;
      if (child < 0) return arrow::Status::Invalid("a structure has not one member ", name);
      ARROW_ASSIGN_OR_RAISE(array, structure.GetFlattenedField(child, f.pool));
      type = type->field(k)->type().get();
    }
    named.push_back(f.schema->field(column)->WithType(array->type()));
    columns.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(named)), batch.num_rows(),
                                  std::move(columns));
}

// The facts about a whole column that a Parquet file's statistics give.
struct ColumnStatistics {
  int64_t missing = 0;  // -1: the file does not say
  bool beyond = false;
};
ColumnStatistics statistics_of(const File& f, int column) {
  ColumnStatistics known;
  const int leaf = leaf_of(f, column);
  const auto kind = kind_of(*f.schema->field(column)->type());
  const bool is_signed = kind && kind->name == std::string("i64");
  const auto metadata = f.parquet->parquet_reader()->metadata();
  for (int g = 0; leaf >= 0 && g < metadata->num_row_groups(); ++g) {
    const auto statistics = metadata->RowGroup(g)->ColumnChunk(leaf)->statistics();
    if (statistics == nullptr || !statistics->HasNullCount()) {
      known.missing = -1;
    } else if (known.missing >= 0) {
      known.missing += statistics->null_count();
    }
    if (statistics == nullptr || !statistics->HasMinMax() ||
        statistics->physical_type() != parquet::Type::INT64) {
      continue;
    }
    const auto& range = static_cast<const parquet::Int64Statistics&>(*statistics);
    constexpr int64_t most = int64_t{1} << 53;
    for (const int64_t bound : {range.min(), range.max()}) {
      known.beyond |= bound > most || bound < (is_signed ? -most : 0);
    }
  }
  return known;
}

}  // namespace

namespace {

// Whether a column holds texts, all of them by number in dictionaries: then no text is copied.
// Arrow cannot read members of structures in this way.
bool is_text_by_dictionary(const parquet::FileMetaData& metadata, int leaf) {
  const auto* const column = metadata.schema()->Column(leaf);
  if (column->physical_type() != parquet::Type::BYTE_ARRAY || column->logical_type() == nullptr ||
      !column->logical_type()->is_string() || column->path()->ToDotVector().size() > 1) {
    return false;
  }
  for (int g = 0; g < metadata.num_row_groups(); ++g) {
    const auto pages = metadata.RowGroup(g)->ColumnChunk(leaf)->encoding_stats();
    if (pages.empty()) return false;
    for (const parquet::PageEncodingStats& p : pages) {
      const bool data = p.page_type == parquet::PageType::DATA_PAGE ||
                        p.page_type == parquet::PageType::DATA_PAGE_V2;
      if (data && p.encoding != parquet::Encoding::RLE_DICTIONARY &&
          p.encoding != parquet::Encoding::PLAIN_DICTIONARY) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

arrow::Status open(File& f, const std::string& path, plugin::Form form, plugin::Pull pull,
                   void* from, int64_t most_bytes) {
  f.pool = make_pool(most_bytes);
  if (form == plugin::Form::stream) {
    f.stream = std::make_shared<PullStream>(pull, from, f.pool);
    ARROW_ASSIGN_OR_RAISE(f.stream_batches,
                          arrow::ipc::RecordBatchStreamReader::Open(f.stream, options_of(f)));
    f.schema = f.stream_batches->schema();
    set_columns(f);
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(f.source, arrow::io::ReadableFile::Open(path, f.pool));
  if (form == plugin::Form::parquet) {
    parquet::ReaderProperties properties(f.pool);
    properties.enable_buffered_stream();
    properties.set_page_checksum_verification(true);
    parquet::ArrowReaderProperties how;
    how.set_pre_buffer(false);
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(f.source, properties));
    const auto metadata = builder.raw_reader()->metadata();
    for (int leaf = 0; leaf < metadata->num_columns(); ++leaf) {
      if (is_text_by_dictionary(*metadata, leaf)) how.set_read_dictionary(leaf, true);
    }
    builder.memory_pool(f.pool)->properties(how);
    ARROW_ASSIGN_OR_RAISE(f.parquet, builder.Build());
    ARROW_RETURN_NOT_OK(f.parquet->GetSchema(&f.schema));
    set_columns(f);
    f.rows = f.parquet->parquet_reader()->metadata()->num_rows();
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(f.ipc, arrow::ipc::RecordBatchFileReader::Open(f.source, options_of(f)));
  f.schema = f.ipc->schema();
  set_columns(f);
  ARROW_ASSIGN_OR_RAISE(f.rows, f.ipc->CountRows());
  return arrow::Status::OK();
}

arrow::Result<plugin::Column> describe(File& f, int column) {
  const auto& field = f.schema->field(column);
  const std::optional<Kind> kind = kind_of(*field->type());
  // A file may use a dictionary to store texts, although nobody chose such a type.
  const bool numbered = f.parquet && field->type()->id() == arrow::Type::DICTIONARY;
  const auto type = numbered
                        ? static_cast<const arrow::DictionaryType&>(*field->type()).value_type()
                        : field->type();
  constexpr std::size_t longest = 60;
  f.type_text = type->ToString();
  if (f.type_text.size() > longest) f.type_text.replace(longest, f.type_text.npos, "...");
  plugin::Column of{.name = field->name().c_str(),
                    .type = kind ? kind->name : f.type_text.c_str(),
                    .folds = kind.has_value(),
                    .keys = has_texts(*field->type()),
                    .beyond = false,
                    .missing = field->nullable() ? -1 : 0};
  if (f.parquet && kind) {
    const ColumnStatistics known = statistics_of(f, column);
    of.beyond = known.beyond;
    if (field->nullable()) of.missing = known.missing;
  }
  return of;
}

int groups(const File& f) {
  return f.parquet ? f.parquet->num_row_groups() : f.ipc ? f.ipc->num_record_batches() : 0;
}

arrow::Result<int64_t> rows_before(const File& f, int group) {
  int64_t rows = 0;
  if (f.parquet) {
    const auto metadata = f.parquet->parquet_reader()->metadata();
    for (int g = 0; g < group; ++g) rows += metadata->RowGroup(g)->num_rows();
    return rows;
  }
  for (int g = 0; g < group; ++g) {
    ARROW_ASSIGN_OR_RAISE(const auto batch, f.ipc->ReadRecordBatch(g));
    rows += batch->num_rows();
  }
  return rows;
}

arrow::Status select(File& f, std::vector<int> columns, Groups read, int64_t most_rows,
                     bool threads) {
  const int all = groups(f);
  if (read.first < 0 || read.end < read.first || read.end > all) {
    return arrow::Status::Invalid("it has ", all, " groups of rows, and groups ", read.first,
                                  " to ", read.end, " were asked for; it has been changed");
  }
  f.columns = std::move(columns);
  f.read = read;
  f.most_rows = most_rows;
  f.seen = f.in_batch = 0;
  f.next_batch = read.first;
  f.batch = nullptr;
  f.promised = f.rows;
  if (f.parquet) {
    ARROW_ASSIGN_OR_RAISE(const int64_t before, rows_before(f, read.first));
    ARROW_ASSIGN_OR_RAISE(f.promised, rows_before(f, read.end));
    f.promised -= before;
    std::vector<int> groups, leaves;
    for (int g = read.first; g < read.end; ++g) groups.push_back(g);
    for (const int column : f.columns) leaves.push_back(leaf_of(f, column));
    f.parquet_batches = nullptr;
    f.parquet->set_use_threads(threads);
    f.parquet->set_batch_size(most_rows);
    ARROW_ASSIGN_OR_RAISE(f.parquet_batches, f.parquet->GetRecordBatchReader(groups, leaves));
  } else if (f.ipc) {
    if (read.end - read.first < all) f.promised = -1;
    auto options = options_of(f);
    options.included_fields = fields_of(f, f.columns);
    ARROW_ASSIGN_OR_RAISE(f.ipc, arrow::ipc::RecordBatchFileReader::Open(f.source, options));
  }
  return arrow::Status::OK();
}

arrow::Result<std::unique_ptr<Batch>> next(File& f) {
  while (f.batch == nullptr || f.in_batch == f.batch->num_rows()) {
    f.in_batch = 0;
    f.batch = nullptr;
    if (f.parquet) {
      ARROW_RETURN_NOT_OK(f.parquet_batches->ReadNext(&f.batch));
    } else if (!f.ipc) {
      ARROW_RETURN_NOT_OK(f.stream_batches->ReadNext(&f.batch));
      if (f.batch != nullptr) {
        ARROW_ASSIGN_OR_RAISE(f.batch, f.batch->SelectColumns(fields_of(f, f.columns)));
      }
    } else if (f.next_batch < f.read.end) {
      ARROW_ASSIGN_OR_RAISE(f.batch, f.ipc->ReadRecordBatch(f.next_batch++));
    }
    if (f.batch == nullptr) {
      if (f.stream && f.stream->ended()) {
        return arrow::Status::Invalid(
            "the stream ends without its mark of the end; it is cut short");
      }
      if (f.promised < 0 || f.seen == f.promised) return nullptr;
      return arrow::Status::Invalid("it has fewer rows than it promises");
    }
    ARROW_RETURN_NOT_OK(f.batch->ValidateFull());
    ARROW_ASSIGN_OR_RAISE(f.batch, columns_in(f, *f.batch));
    f.seen += f.batch->num_rows();
    if (f.promised >= 0 && f.seen > f.promised) {
      return arrow::Status::Invalid("it has more rows than it promises");
    }
  }
  auto batch = std::make_unique<Batch>();
  batch->rows = f.batch->Slice(f.in_batch, f.most_rows);
  f.in_batch += batch->rows->num_rows();
  return batch;
}

}  // namespace onefold_arrow
