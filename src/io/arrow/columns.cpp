#include "io/arrow/columns.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

#include "io/arrow/plugin.hpp"
#include "io/cf.hpp"
#include "io/format.hpp"
#include "jit/loaded.hpp"

namespace onefold::io::arrow {
namespace {

namespace plugin = arrow_plugin;

struct Plugin {
  plugin::Open open = nullptr;
  plugin::Close close = nullptr;
  plugin::Size size = nullptr;
  plugin::Describe describe = nullptr;
  plugin::Read read = nullptr;
  std::string why;

  Plugin() {
    const char* const named = std::getenv("ONEFOLD_ARROW_PLUGIN");
    const std::string path =
        named != nullptr ? named : jit::folder_of_this_code() + "/onefold_arrow.so";
    const jit::Loaded loaded = jit::load({&path, 1});
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(loaded.find(name));
      if (function == nullptr) why = path + " has no function " + name;
    };
    find(open, "onefold_arrow_open");
    find(close, "onefold_arrow_close");
    find(size, "onefold_arrow_size");
    find(describe, "onefold_arrow_describe");
    find(read, "onefold_arrow_read");
    if (loaded) return;
    why = "onefold_arrow.so cannot be loaded (" + loaded.why +
          "); it is built where CMake's Python has pyarrow (pip install pyarrow), or named by "
          "$ONEFOLD_ARROW_PLUGIN";
  }
};

const Plugin& the_plugin() {
  static const Plugin instance;
  return instance;
}

class Columns {
 public:
  Columns(const File& file, const std::string& path, bool parquet, uint64_t most_chunk_bytes)
      : file_(file) {
    if (!the_plugin().why.empty()) {
      file.fail(ErrorCode::unsupported, std::string("it is ") +
                                            (parquet ? "a Parquet" : "an Arrow") + " file, and " +
                                            the_plugin().why);
    }
    // A batch, the page that it is unpacked from, and dictionaries.
    const auto most = static_cast<int64_t>(4 * most_chunk_bytes);
    check(the_plugin().open(path.c_str(), parquet, most, &handle_), ErrorCode::bad_header);
    check(the_plugin().size(handle_, &rows_, &columns_), ErrorCode::bad_header);
    if (rows_ < 0 || columns_ < 0) file.fail(ErrorCode::bad_header, "it claims negative sizes");
  }
  ~Columns() {
    if (handle_ != nullptr) the_plugin().close(handle_);
  }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  plugin::Column describe(int64_t column) const {
    plugin::Column of{};
    check(the_plugin().describe(handle_, column, &of), ErrorCode::bad_header);
    return of;
  }
  void read(int64_t column, int64_t begin, int64_t n, void* to, unsigned char* present) const {
    const std::lock_guard lock(mutex_);
    check(the_plugin().read(handle_, column, begin, n, to, present), ErrorCode::read_failed);
  }

 private:
  void check(const char* why, ErrorCode code) const {
    if (why != nullptr) file_.fail(code, std::string("Arrow: ") + why);
  }
  const File& file_;
  void* handle_ = nullptr;
  int64_t rows_ = 0, columns_ = 0;
  mutable std::mutex mutex_;
};

DType type_of(const char* name) {
  DType type = DType::f64;
#define ONEFOLD_DTYPE(id, spelling, element, kind, bytes) \
  if (std::strcmp(name, spelling) == 0) type = DType::id;
#include "onefold/dtype.def"
#undef ONEFOLD_DTYPE
  return type;
}

constexpr int64_t rows_at_once = int64_t{1} << 16;

class ColumnReader : public BoxReader {
 public:
  ColumnReader(const File& file, std::shared_ptr<const Columns> columns, int64_t column,
               DType stored, DType type)
      : file_(file), columns_(std::move(columns)), column_(column), stored_(stored), type_(type) {
    step_ = Dims(rows_at_once);
  }
  // Rows that are asked for out of order are read from the first one on.
  bool in_turn() const override { return true; }

  void read(const Dims& begin, const Dims& count, std::byte* to) const override {
    const auto n = static_cast<Size>(count[0]);
    std::vector<unsigned char> present(n);
    if (stored_ == type_) {
      columns_->read(column_, begin[0], count[0], to, present.data());
      set_missing(present, to);
      return;
    }
    std::vector<std::byte> raw(n * bytes_of(stored_));
    columns_->read(column_, begin[0], count[0], raw.data(), present.data());
    const Size each = bytes_of(stored_);
    for (Size i = 0; i < n; ++i) {
      double value = 0;
      if (stored_ == DType::boolean) {
        value = raw[i] == std::byte{0} ? 0 : 1;
      } else {
        const CfNumber number = cf_number(stored_, raw.data() + i * each);
        value = number.real;
        if (!is_exact(number)) {
          file_.fail(
              ErrorCode::out_of_range,
              "the column may have nulls, so it is read as f64, which cannot hold " +
                  (stored_ == DType::u64 ? std::to_string(static_cast<uint64_t>(number.integer))
                                         : std::to_string(number.integer)));
        }
      }
      std::memcpy(to + i * sizeof value, &value, sizeof value);
    }
    set_missing(present, to);
  }

 private:
  // Whether f64 holds the integer.
  static bool is_exact(const CfNumber& n) {
    const bool wide = n.dtype == DType::u64;
    const double end = wide ? 18446744073709551616.0 : 9223372036854775808.0;
    if (n.real == end) return false;
    return wide ? static_cast<uint64_t>(n.real) == static_cast<uint64_t>(n.integer)
                : static_cast<int64_t>(n.real) == n.integer;
  }
  void set_missing(const std::vector<unsigned char>& present, std::byte* to) const {
    const auto set = [&](auto nan) {
      for (Size i = 0; i < present.size(); ++i) {
        if (present[i] == 0) std::memcpy(to + i * sizeof nan, &nan, sizeof nan);
      }
    };
    if (type_ == DType::f64) set(uint64_t{0x7ff8} << 48);
    if (type_ == DType::f32) set(uint32_t{0x7fc00000});
    if (type_ == DType::f16) set(uint16_t{0x7e00});
  }

  const File& file_;
  std::shared_ptr<const Columns> columns_;
  int64_t column_;
  DType stored_, type_;
};

// Integers may be f64, as the top says.
DType type_with_nulls(const plugin::Column& c) {
  const DType stored = type_of(c.type);
  return kind_of(stored) != Kind::floating && c.missing != 0 ? DType::f64 : stored;
}

std::vector<ContainerItem> list(const Columns& columns) {
  std::vector<ContainerItem> items;
  for (int64_t k = 0; k < columns.columns(); ++k) {
    const plugin::Column c = columns.describe(k);
    ContainerItem item{.name = c.name, .type = c.type};
    if (c.folds) {
      item.type = name_of(type_with_nulls(c));
      item.shape = Dims(columns.rows());
      if (c.missing >= 0) item.missing = static_cast<Size>(c.missing);
    }
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace

DenseArray open_column(const File& file, const std::string& path, const std::string& item,
                       const InputOptions& options, bool parquet) {
  const auto columns =
      std::make_shared<const Columns>(file, path, parquet, options.most_chunk_bytes);
  const auto k = static_cast<int64_t>(choose_item(file, list(*columns), item));
  const plugin::Column c = columns->describe(k);
  if (!c.folds) {
    file.fail(ErrorCode::unsupported,
              std::string("elements of type ") + c.type + " cannot be folded");
  }
  DenseArray array{.dtype = type_with_nulls(c), .shape = Dims(columns->rows())};
  data_bytes(file, array, ErrorCode::bad_header);
  array.boxes = std::make_shared<ColumnReader>(file, columns, k, type_of(c.type), array.dtype);
  check_options(file, array, options);
  return array;
}

std::vector<ContainerItem> list_columns(const File& file, const std::string& path, bool parquet) {
  return list(Columns(file, path, parquet, InputOptions().most_chunk_bytes));
}

}  // namespace onefold::io::arrow
