// An open Parquet or Arrow file, read by the plugin onefold_arrow.so.
//
//   memory  Arrow's memory is limited
//   order   rows come from the first to the last; a stream is read once
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onefold/core/dtype.hpp"
#include "onefold/io/arrow/plugin.hpp"
#include "onefold/io/file.hpp"

namespace onefold::io::arrow {

// Returns why the plugin cannot be used, and what builds it; empty: it can.
std::string why_no_plugin();

class ArrowFile {
 public:
  using Form = arrow_plugin::Form;
  // The file must outlive this object.
  //   throws  unsupported: there is no plugin; bad_header
  ArrowFile(const File& file, const std::string& path, Form form, uint64_t most_bytes,
            File* stream = nullptr);
  ~ArrowFile();
  ArrowFile(const ArrowFile&) = delete;
  ArrowFile& operator=(const ArrowFile&) = delete;

  struct Column {
    std::string name, type;
    std::optional<DType> folds;  // the stored type, if it can be folded
    bool keys, beyond;
    int64_t missing;  // -1: not known
  };
  const std::vector<Column>& columns() const { return columns_; }
  int64_t rows() const { return rows_; }  // -1 for a stream
  // The number of groups of rows, each of which can be read alone; 0 for a stream.
  int64_t groups() const { return groups_; }
  int64_t rows_before(int64_t group) const;

  // Some rows of the selected columns. Any thread may call its functions.
  class Batch {
   public:
    Batch(const File& file, void* handle, int64_t rows);
    ~Batch();
    Batch(Batch&& other) noexcept;
    Batch& operator=(Batch&&) = delete;
    int64_t rows() const { return rows_; }  // 0: all rows were read
    // Copies rows [first, first + n) of the k-th column, nulls as 0; returns the number of nulls.
    int64_t values(int64_t k, int64_t first, int64_t n, void* to, unsigned char* present) const;
    std::vector<arrow_plugin::Text> texts(int64_t k) const;

   private:
    const File& file_;
    void* handle_;
    int64_t rows_;
  };
  // Selects columns, given in ascending order, each once, and the groups [first, end).
  void select(const std::vector<int64_t>& columns, int64_t first, int64_t end, int64_t most_rows,
              bool threads);
  Batch next();

 private:
  void check(const char* why, ErrorCode code) const;
  static int64_t pull(void* self, void* to, int64_t n);

  const File& file_;
  File* stream_;  // the stream that bytes are read from
  void* handle_ = nullptr;
  int64_t rows_ = 0, groups_ = 0;
  uint64_t most_bytes_;
  std::vector<Column> columns_;
  std::optional<Error> pulled_;  // the error of reading the stream
};

}  // namespace onefold::io::arrow
