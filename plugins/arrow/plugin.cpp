// onefold_arrow.so reads Parquet and Arrow files by means of Arrow C++, which pyarrow on PyPI
// ships. Its only header of Onefold is onefold/io/arrow/plugin.hpp.
#include "file.hpp"

using onefold_arrow::Batch;
using onefold_arrow::File;

namespace {

namespace plugin = onefold::io::arrow_plugin;

thread_local std::string error;

const char* failed(const std::string& what) {
  error = what.substr(0, what.find('\n'));
  return error.c_str();
}

// Catches the exceptions that other libraries throw.
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

const char* onefold_arrow_open(const char* path, plugin::Form form, plugin::Pull pull, void* from,
                               int64_t most_bytes, void** file) {
  auto f = std::make_unique<File>();
  const char* const why =
      guarded([&] { return onefold_arrow::open(*f, path, form, pull, from, most_bytes); });
  if (why == nullptr) *file = f.release();
  return why;
}

void onefold_arrow_close(void* file) { delete static_cast<File*>(file); }

const char* onefold_arrow_size(void* file, int64_t* rows, int64_t* columns, int64_t* groups) {
  const auto& f = *static_cast<File*>(file);
  *rows = f.rows;
  *columns = f.schema->num_fields();
  *groups = onefold_arrow::groups(f);
  return nullptr;
}

const char* onefold_arrow_rows_before(void* file, int64_t group, int64_t* rows) {
  return guarded([&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(
        *rows, onefold_arrow::rows_before(*static_cast<File*>(file), static_cast<int>(group)));
    return arrow::Status::OK();
  });
}

const char* onefold_arrow_describe(void* file, int64_t column, plugin::Column* of) {
  return guarded([&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(
        *of, onefold_arrow::describe(*static_cast<File*>(file), static_cast<int>(column)));
    return arrow::Status::OK();
  });
}

const char* onefold_arrow_select(void* file, const int64_t* columns, int64_t n, int64_t first,
                                 int64_t end, int64_t most_rows, bool threads) {
  return guarded([&] {
    return onefold_arrow::select(*static_cast<File*>(file), {columns, columns + n},
                                 {static_cast<int>(first), static_cast<int>(end)}, most_rows,
                                 threads);
  });
}

const char* onefold_arrow_next(void* file, void** batch, int64_t* rows) {
  return guarded([&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(auto b, onefold_arrow::next(*static_cast<File*>(file)));
    *rows = b == nullptr ? 0 : b->rows->num_rows();
    *batch = b.release();
    return arrow::Status::OK();
  });
}

const char* onefold_arrow_values(void* batch, int64_t k, int64_t first, int64_t n, void* to,
                                 unsigned char* present, int64_t* nulls) {
  return guarded([&] {
    return onefold_arrow::values(*static_cast<Batch*>(batch), static_cast<int>(k), first, n,
                                 static_cast<char*>(to), present, nulls);
  });
}

const char* onefold_arrow_texts(void* batch, int64_t k, plugin::Text* to) {
  return guarded(
      [&] { return onefold_arrow::texts(*static_cast<Batch*>(batch), static_cast<int>(k), to); });
}

const char* onefold_arrow_write(const plugin::OutputColumn* columns, int64_t n, int64_t rows,
                                bool parquet, plugin::Push push, void* to) {
  return guarded([&] {
    return onefold_arrow::write({columns, columns + n}, rows, parquet, push, to);
  });
}

void onefold_arrow_drop(void* batch) { delete static_cast<Batch*>(batch); }

}  // extern "C"
