#include <parquet/arrow/writer.h>

#include <string_view>

#include "file.hpp"

namespace onefold_arrow {
namespace {

// A stream whose bytes go to a callback.
class PushStream : public arrow::io::OutputStream {
 public:
  PushStream(plugin::Push push, void* to) : push_(push), to_(to) {}
  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void* bytes, int64_t n) override {
    if (!push_(to_, bytes, n)) return arrow::Status::IOError("its bytes cannot be written");
    at_ += n;
    return arrow::Status::OK();
  }
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return at_; }

 private:
  plugin::Push push_;
  void* to_;
  int64_t at_ = 0;
  bool closed_ = false;
};

template <class Builder, class T>
arrow::Result<std::shared_ptr<arrow::Array>> numbers(const plugin::OutputColumn& c, int64_t rows) {
  Builder builder;
  const T* const values = static_cast<const T*>(c.values);
  ARROW_RETURN_NOT_OK(builder.AppendValues(values, rows, c.present));
  return builder.Finish();
}

template <class Builder>
arrow::Result<std::shared_ptr<arrow::Array>> texts(const plugin::OutputColumn& c, int64_t rows) {
  Builder builder;
  for (int64_t i = 0; i < rows; ++i) {
    const plugin::Text& text = c.texts[i];
    if (text.bytes < 0) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
    } else {
      ARROW_RETURN_NOT_OK(builder.Append(text.begin, static_cast<int32_t>(text.bytes)));
    }
  }
  return builder.Finish();
}

arrow::Result<std::shared_ptr<arrow::Array>> array_of(const plugin::OutputColumn& c, int64_t rows) {
  const std::string_view type = c.type;
  if (type == "text") return texts<arrow::StringBuilder>(c, rows);
  if (type == "bytes") return texts<arrow::BinaryBuilder>(c, rows);
  if (type == "bool") return numbers<arrow::BooleanBuilder, uint8_t>(c, rows);
  if (type == "i8") return numbers<arrow::Int8Builder, int8_t>(c, rows);
  if (type == "i16") return numbers<arrow::Int16Builder, int16_t>(c, rows);
  if (type == "i32") return numbers<arrow::Int32Builder, int32_t>(c, rows);
  if (type == "i64") return numbers<arrow::Int64Builder, int64_t>(c, rows);
  if (type == "u8") return numbers<arrow::UInt8Builder, uint8_t>(c, rows);
  if (type == "u16") return numbers<arrow::UInt16Builder, uint16_t>(c, rows);
  if (type == "u32") return numbers<arrow::UInt32Builder, uint32_t>(c, rows);
  if (type == "u64") return numbers<arrow::UInt64Builder, uint64_t>(c, rows);
  if (type == "f16") return numbers<arrow::HalfFloatBuilder, uint16_t>(c, rows);
  if (type == "f32") return numbers<arrow::FloatBuilder, float>(c, rows);
  if (type == "f64") return numbers<arrow::DoubleBuilder, double>(c, rows);
  return arrow::Status::NotImplemented("it has no type ", std::string(type),
                                       "; ask for --result f32, which holds the same values");
}

}  // namespace

arrow::Status write(const std::vector<plugin::OutputColumn>& columns, int64_t rows, bool parquet,
                    plugin::Push push, void* to) {
  std::vector<std::shared_ptr<arrow::Field>> fields;
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const plugin::OutputColumn& c : columns) {
    ARROW_ASSIGN_OR_RAISE(arrays.emplace_back(), array_of(c, rows));
    fields.push_back(arrow::field(c.name, arrays.back()->type()));
  }
  const auto table = arrow::Table::Make(arrow::schema(fields), arrays, rows);
  const auto sink = std::make_shared<PushStream>(push, to);
  if (parquet) {
    return parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, 1 << 20);
  }
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeFileWriter(sink, table->schema()));
  ARROW_RETURN_NOT_OK(writer->WriteTable(*table));
  return writer->Close();
}

}  // namespace onefold_arrow
