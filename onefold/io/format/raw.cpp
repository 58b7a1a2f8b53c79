// Reads elements in C order, without a header. Options give type, byte order and shape.
//
//   shape    without the option, one dimension with the whole file; with it, later bytes are not
//            read
//   offset   bytes to skip, any number
#include <algorithm>
#include <limits>

#include "onefold/io/format.hpp"

namespace onefold::io {
namespace {

void skip(File& file, uint64_t bytes) {
  std::byte buffer[4096];
  for (uint64_t left = bytes; left > 0;) {
    const auto n = static_cast<std::size_t>(std::min<uint64_t>(left, sizeof buffer));
    if (file.read(buffer, n) < n) {
      file.fail(ErrorCode::truncated, "--offset is " + std::to_string(bytes) +
                                          ", but the data end after " +
                                          std::to_string(file.position()) + " bytes");
    }
    left -= n;
  }
}

DenseArray open(File& file, const InputOptions& options) {
  if (!options.dtype) {
    file.fail(ErrorCode::bad_option, "raw data need their type; pass --dtype, such as --dtype f32");
  }
  DenseArray array;
  array.dtype = *options.dtype;
  array.swapped = options.big_endian && bytes_of(array.dtype) > 1;
  array.offset = options.offset;
  if (array.offset > static_cast<uint64_t>(int64_max)) {
    file.fail(ErrorCode::bad_option, "--offset " + std::to_string(array.offset) + " is past 2^63");
  }
  if (options.shape) {
    array.shape = *options.shape;
    for (const int64_t extent : array.shape) {
      if (extent < 0) {
        file.fail(ErrorCode::bad_option,
                  "--shape " + to_string(array.shape) + " has a negative extent");
      }
    }
    if (array.shape.rank() > max_rank) {
      file.fail(ErrorCode::bad_option, "--shape has more than 16 dimensions");
    }
    data_bytes(file, array, ErrorCode::bad_option);
  }
  if (file.seekable()) {
    if (array.offset > file.size()) {
      file.fail(ErrorCode::truncated, "--offset is " + std::to_string(array.offset) +
                                          ", but the file has only " + std::to_string(file.size()) +
                                          " bytes");
    }
    if (options.shape) {
      check_length(file, array, "--shape " + to_string(array.shape));
      return array;
    }
    const uint64_t bytes = file.size() - array.offset, each = bytes_of(array.dtype);
    if (bytes % each != 0) {
      file.fail(ErrorCode::truncated, std::to_string(bytes) +
                                          " bytes of data are not a whole number of " +
                                          name_of(array.dtype) + "; the last " +
                                          std::to_string(bytes % each) + " are left over");
    }
    array.shape = Dims(bytes / each);
    return array;
  }
  skip(file, array.offset);
  if (!options.shape) {
    array.open_ended = true;
    array.shape = Dims(0);
  }
  return array;
}

constexpr std::string_view extensions[] = {".bin", ".raw"};

}  // namespace

namespace format {
extern const Format raw;
const Format raw{.name = "raw", .extensions = extensions, .magic = "", .open = open};
}  // namespace format

}  // namespace onefold::io
