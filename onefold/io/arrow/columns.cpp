#include "onefold/io/arrow/columns.hpp"

#include <cstring>
#include <limits>
#include <mutex>

#include "onefold/io/arrow/convert.hpp"
#include "onefold/io/boxes.hpp"
#include "onefold/io/format.hpp"

namespace onefold::io::arrow {
namespace {

constexpr int64_t rows_at_once = int64_t{1} << 16;

// Arrow needs memory for a batch, the page that it is unpacked from, and dictionaries.
uint64_t most_bytes(const InputOptions& options) { return 4 * options.most_chunk_bytes; }

// Returns the element type: integers may become f64 (columns.hpp says when).
DType type_with_nulls(const ArrowFile::Column& c) {
  return !is_floating(*c.folds) && c.missing != 0 ? DType::f64 : *c.folds;
}

class ColumnReader : public BoxReader {
 public:
  ColumnReader(const File& file, std::string path, ArrowFile::Form form, uint64_t most,
               int64_t column, int64_t rows, DType stored, DType type)
      : file_(file),
        path_(std::move(path)),
        form_(form),
        most_(most),
        column_(column),
        rows_(rows),
        stored_(stored),
        type_(type) {
    step_ = Dims(rows_at_once);
  }
  // Rows are read in order; to read earlier ones, reading starts again at the first row.
  bool in_turn() const override { return true; }

  void read(const Dims& begin, const Dims& count, std::byte* to) const override {
    const auto n = static_cast<Size>(count[0]);
    std::vector<unsigned char> present(n, 1);
    std::vector<std::byte> raw(stored_ == type_ ? 0 : n * bytes_of(stored_));
    const std::lock_guard lock(mutex_);
    fetch(begin[0], count[0], stored_ == type_ ? to : raw.data(), present.data());
    if (stored_ == type_) return set_missing(present, to);
    const auto bad = convert(stored_, raw.data(), present.data(), n, type_, {.exact = true}, to);
    if (!bad) return;
    file_.fail(ErrorCode::out_of_range,
               "row " + std::to_string(static_cast<Size>(begin[0]) + bad->at + 1) +
                   ": the column may have nulls, so it is read as f64, but " + bad->what);
  }

 private:
  void fetch(int64_t begin, int64_t n, std::byte* to, unsigned char* present) const {
    if (opened_ == nullptr || begin < at_) {
      opened_ = std::make_unique<ArrowFile>(file_, path_, form_, most_);
      opened_->select({column_}, 0, opened_->groups(), rows_at_once, false);
      batch_.reset();
      at_ = in_batch_ = 0;
    }
    while (n > 0) {
      if (!batch_ || in_batch_ == batch_->rows()) {
        batch_.reset();
        batch_.emplace(opened_->next());
        in_batch_ = 0;
        if (batch_->rows() == 0) {
          file_.fail(ErrorCode::read_failed, "Arrow read fewer rows than the file promises");
        }
      }
      const int64_t left = batch_->rows() - in_batch_;
      const int64_t some = at_ < begin ? std::min(left, begin - at_) : std::min(left, n);
      if (at_ >= begin) {
        batch_->values(0, in_batch_, some, to, present);
        to += some * static_cast<int64_t>(bytes_of(stored_));
        present += some;
        begin += some;
        n -= some;
      }
      at_ += some;
      in_batch_ += some;
    }
    if (at_ < rows_) return;
    // If there are many files, only those in use are open.
    batch_.reset();
    opened_.reset();
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
  std::string path_;
  ArrowFile::Form form_;
  uint64_t most_;
  int64_t column_, rows_;
  DType stored_, type_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<ArrowFile> opened_;
  mutable std::optional<ArrowFile::Batch> batch_;
  mutable int64_t at_ = 0, in_batch_ = 0;
};

std::vector<ContainerItem> list(const ArrowFile& opened) {
  std::vector<ContainerItem> items;
  for (const ArrowFile::Column& c : opened.columns()) {
    ContainerItem item{.name = c.name, .type = c.type};
    if (c.folds) {
      item.type = name_of(type_with_nulls(c));
      item.shape = Dims(opened.rows());
      if (c.missing >= 0) item.missing = static_cast<Size>(c.missing);
    }
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace

DenseArray open_column(const File& file, const std::string& path, const std::string& item,
                       const InputOptions& options, ArrowFile::Form form) {
  const ArrowFile opened(file, path, form, most_bytes(options));
  const std::size_t k = choose_item(file, list(opened), item);
  const ArrowFile::Column& c = opened.columns()[k];
  if (!c.folds) {
    file.fail(ErrorCode::unsupported, "elements of type " + c.type + " cannot be folded");
  }
  DenseArray array{.dtype = type_with_nulls(c), .shape = Dims(opened.rows())};
  data_bytes(file, array, ErrorCode::bad_header);
  array.boxes =
      std::make_shared<ColumnReader>(file, path, form, most_bytes(options), static_cast<int64_t>(k),
                                     opened.rows(), *c.folds, array.dtype);
  check_options(file, array, options);
  return array;
}

std::vector<ContainerItem> list_columns(const File& file, const std::string& path,
                                        ArrowFile::Form form) {
  return list(ArrowFile(file, path, form, most_bytes(InputOptions())));
}

}  // namespace onefold::io::arrow
