#include "onefold/io/arrow/opened.hpp"

#include <cstring>
#include <utility>

#include "onefold/io/arrow/loaded.hpp"

namespace onefold::io::arrow {
namespace {

namespace plugin = arrow_plugin;

std::optional<DType> dtype_of_name(const char* name) {
#define ONEFOLD_DTYPE(id, spelling, element, kind, bytes) \
  if (std::strcmp(name, spelling) == 0) return DType::id;
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  return {};
}

}  // namespace

std::string why_no_plugin() { return the_plugin().why; }

ArrowFile::ArrowFile(const File& file, const std::string& path, Form form, uint64_t most_bytes,
                     File* stream)
    : file_(file), stream_(stream), most_bytes_(most_bytes) {
  if (!the_plugin().why.empty()) {
    file.fail(ErrorCode::unsupported,
              std::string("it is ") + (form == Form::parquet ? "a Parquet" : "an Arrow") +
                  (form == Form::stream ? " stream" : " file") + ", and " + the_plugin().why);
  }
  check(
      the_plugin().open(path.c_str(), form, pull, this, static_cast<int64_t>(most_bytes), &handle_),
      ErrorCode::bad_header);
  try {
    int64_t columns = 0;
    check(the_plugin().size(handle_, &rows_, &columns, &groups_), ErrorCode::bad_header);
    if (rows_ < (form == Form::stream ? -1 : 0) || columns < 0 || groups_ < 0) {
      file.fail(ErrorCode::bad_header, "it contains negative sizes, so it is damaged");
    }
    for (int64_t k = 0; k < columns; ++k) {
      plugin::Column c{};
      check(the_plugin().describe(handle_, k, &c), ErrorCode::bad_header);
      columns_.push_back({.name = c.name,
                          .type = c.type,
                          .folds = c.folds ? dtype_of_name(c.type) : std::nullopt,
                          .keys = c.keys,
                          .beyond = c.beyond,
                          .missing = c.missing});
    }
    if (stream == nullptr) file.check_name();
  } catch (...) {
    the_plugin().close(handle_);
    throw;
  }
}

ArrowFile::~ArrowFile() { the_plugin().close(handle_); }

void ArrowFile::check(const char* why, ErrorCode code) const {
  if (pulled_) throw *pulled_;
  if (why == nullptr) return;
  const std::string what = why;
  if (stream_ == nullptr) file_.check_name();  // a file that is written to has any errors
  if (what.find("cap exceeded") != what.npos) {
    file_.fail(ErrorCode::out_of_memory,
               "Arrow would take more than " + std::to_string(most_bytes_ >> 20) +
                   " MiB to unpack it; allow more with --memory, or read fewer columns");
  }
  file_.fail(code, "Arrow: " + what);
}

int64_t ArrowFile::pull(void* self, void* to, int64_t n) {
  auto& opened = *static_cast<ArrowFile*>(self);
  try {
    return static_cast<int64_t>(opened.stream_->read(to, static_cast<std::size_t>(n)));
  } catch (const Error& e) {
    opened.pulled_.emplace(e);
    return -1;
  }
}

int64_t ArrowFile::rows_before(int64_t group) const {
  int64_t rows = 0;
  check(the_plugin().rows_before(handle_, group, &rows), ErrorCode::read_failed);
  return rows;
}

void ArrowFile::select(const std::vector<int64_t>& columns, int64_t first, int64_t end,
                       int64_t most_rows, bool threads) {
  check(the_plugin().select(handle_, columns.data(), static_cast<int64_t>(columns.size()), first,
                            end, most_rows, threads),
        ErrorCode::read_failed);
}

ArrowFile::Batch ArrowFile::next() {
  void* batch = nullptr;
  int64_t rows = 0;
  check(the_plugin().next(handle_, &batch, &rows), ErrorCode::read_failed);
  return {file_, batch, rows};
}

ArrowFile::Batch::Batch(const File& file, void* handle, int64_t rows)
    : file_(file), handle_(handle), rows_(rows) {}
ArrowFile::Batch::Batch(Batch&& other) noexcept
    : file_(other.file_), handle_(std::exchange(other.handle_, nullptr)), rows_(other.rows_) {}
ArrowFile::Batch::~Batch() {
  if (handle_ != nullptr) the_plugin().drop(handle_);
}

int64_t ArrowFile::Batch::values(int64_t k, int64_t first, int64_t n, void* to,
                                 unsigned char* present) const {
  int64_t nulls = 0;
  const char* const why = the_plugin().values(handle_, k, first, n, to, present, &nulls);
  if (why != nullptr) file_.fail(ErrorCode::read_failed, std::string("Arrow: ") + why);
  return nulls;
}

std::vector<plugin::Text> ArrowFile::Batch::texts(int64_t k) const {
  std::vector<plugin::Text> list(static_cast<std::size_t>(rows_));
  const char* const why = the_plugin().texts(handle_, k, list.data());
  if (why != nullptr) file_.fail(ErrorCode::read_failed, std::string("Arrow: ") + why);
  return list;
}

}  // namespace onefold::io::arrow
