#include "onefold/tables/load.hpp"

#include <cstring>

#include "onefold/engine/plan/check.hpp"
#include "onefold/io/stream.hpp"
#include "onefold/system/memory.hpp"
#include "onefold/tables/nowhere.hpp"
#include "onefold/tables/open_files.hpp"

namespace onefold::io {
namespace {

OpenFiles open_array(const std::string& path, const InputOptions& input) {
  OpenFiles files = open_files(Query("count"), {path}, input);
  if (!files.x[0].dense()) {
    files.x[0].file->fail(ErrorCode::unsupported,
                          "it is not an array file; save it as .npy, or read it with pandas");
  }
  return files;
}

std::string joined_type(const DenseArray& array) {
  if (array.planes == Planes::both) return array.dtype == DType::f32 ? "c8" : "c16";
  if (array.text == 0) return {};
  const int64_t bytes = array.shape[array.shape.rank() - 1];
  return array.text + std::to_string(array.text == 'U' ? bytes / 4 : bytes);
}

}  // namespace

ArrayRef ArrayHeader::ref() const { return {nowhere, dtype, shape, strides}; }

ArrayHeader header_of(const std::string& path, const InputOptions& input, Notes* notes) {
  const OpenFiles files = open_array(path, input);
  note_remarks(files, notes);
  const ArrayRef array = array_of(files.x);
  return {.dtype = array.dtype,
          .shape = array.shape,
          .strides = array.strides,
          .format = files.x[0].format_name(),
          .is_complex = files.x[0].array->is_complex()};
}

void widen(FileArray& array) {
  std::vector<std::byte> wide(2 * array.bytes.size());
  for (std::size_t at = 0; at < array.bytes.size(); at += sizeof(float)) {
    float narrow = 0;
    std::memcpy(&narrow, array.bytes.data() + at, sizeof narrow);
    const double value = narrow;
    std::memcpy(wide.data() + 2 * at, &value, sizeof value);
  }
  array.bytes = std::move(wide);
  array.dtype = DType::f64;
  for (int d = 0; d < array.strides.rank(); ++d) array.strides[d] *= 2;
}

FileArray load_array(const std::string& path, const InputOptions& input, const Progress& progress) {
  OpenFiles files = open_array(path, input);
  const OpenFile& file = files.x[0];
  const ArrayRef array = array_of(files.x);
  FileArray loaded{.bytes = {},
                   .dtype = array.dtype,
                   .shape = array.shape,
                   .strides = array.strides,
                   .joined = joined_type(*file.array)};
  const File::Use use(*file.file);
  const Source source(*file.file, *file.array);
  const Size bytes = elements_of(array.shape) * bytes_of(array.dtype);
  loaded.bytes.reserve(bytes);
  system::prefer_large_pages(loaded.bytes.data(), bytes);
  Meter meter(progress, bytes);
  const auto stream = dense_stream(source, meter);
  while (stream->next(loaded.bytes)) {
  }
  files.check_end();
  return loaded;
}

}  // namespace onefold::io
