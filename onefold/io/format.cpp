#include "onefold/io/format.hpp"

#include <cstring>

namespace onefold::io {

namespace format {
#define ONEFOLD_ENTRY(name) extern const Format name;
#include "generated/format.list"
#undef ONEFOLD_ENTRY
}  // namespace format

namespace {

constexpr const Format* rows[] = {
#define ONEFOLD_ENTRY(name) &format::name,
#include "generated/format.list"
#undef ONEFOLD_ENTRY
};

bool ends_with(std::string_view path, std::string_view extension) {
  if (path.size() <= extension.size()) return false;
  const std::string_view end = path.substr(path.size() - extension.size());
  for (std::size_t i = 0; i < end.size(); ++i) {
    const char c = end[i] >= 'A' && end[i] <= 'Z' ? static_cast<char>(end[i] - 'A' + 'a') : end[i];
    if (c != extension[i]) return false;
  }
  return true;
}

}  // namespace

std::span<const Format* const> formats() { return rows; }

const Format& find_format(std::string_view name) {
  const Format* found = rows[0];
  for (const Format* f : rows) {
    if (name == f->name) found = f;
  }
  return *found;
}

const Format& choose_format(File& file, const std::string& path, const InputOptions& options) {
  if (!options.format.empty()) {
    std::string known;
    for (const Format* f : rows) {
      if (options.format == f->name) return *f;
      known += (known.empty() ? "" : ", ") + std::string(f->name);
    }
    throw Error(ErrorCode::bad_option,
                "no format is called \"" + options.format + "\"; the formats are " + known);
  }
  if (path != "-") {
    for (const Format* f : rows) {
      for (const std::string_view extension : f->extensions) {
        if (ends_with(path, extension)) return *f;
      }
    }
  }
  const std::vector<std::byte> head = file.peek(16);
  for (const Format* f : rows) {
    if (!f->magic.empty() && head.size() >= f->magic.size() &&
        std::memcmp(head.data(), f->magic.data(), f->magic.size()) == 0) {
      return *f;
    }
  }
  return find_format("text");
}

const char* complex_name(DType part) { return part == DType::f32 ? "complex64" : "complex128"; }

const char* DenseArray::type_name() const {
  return is_complex() ? complex_name(dtype) : name_of(dtype);
}

Dims DenseArray::elements() const { return planes == Planes::both ? without_parts(shape) : shape; }

const char* const why_complex =
    "its elements are complex numbers, which support only sum, mean, var, std, norm2, sumsq and "
    "count here; in Python onefold.fold(ops, FILE) also has dot, by=, weights= and nan=, and "
    "onefold.read(FILE) returns the array, as in onefold.median(onefold.read(FILE).real)";

uint64_t data_bytes(const File& file, const DenseArray& array, ErrorCode code) {
  Uint128 bytes = bytes_of(array.dtype) * (array.is_part() ? 2U : 1U);
  bool empty = false, too_many = false;
  for (const int64_t extent : array.shape) {
    // As in NumPy: if one extent is 0, the product of the others must still not be too large.
    empty |= extent == 0;
    // Extents of at least 1 never make the product smaller, so checking it at each step is enough.
    if (extent > 0) bytes *= static_cast<uint64_t>(extent);
    too_many |= bytes > static_cast<Uint128>(int64_max);
    if (too_many) bytes = 1;
  }
  const uint64_t most = static_cast<uint64_t>(int64_max) - (empty ? 0 : array.offset);
  if (too_many || static_cast<uint64_t>(bytes) > most) {
    file.fail(code, "shape " + to_string(array.shape) + " of " + name_of(array.dtype) +
                        " has more than 2^63 bytes");
  }
  return empty ? 0 : static_cast<uint64_t>(bytes);
}

void check_length(const File& file, const DenseArray& array, const std::string& promise) {
  if (!file.seekable()) return;
  const uint64_t bytes = data_bytes(file, array, ErrorCode::bad_header);
  const uint64_t held = file.size() - std::min(array.offset, file.size());
  if (held < bytes) {
    file.fail(ErrorCode::truncated, promise + " promises " + std::to_string(bytes) +
                                        " bytes of data, but the file has only " +
                                        std::to_string(held) + "; the file is cut short");
  }
}

}  // namespace onefold::io
