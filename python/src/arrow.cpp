#include "arrow.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "numpy.hpp"
#include "view.hpp"

namespace nb = nanobind;

namespace onefold::python {
namespace {

// One of Arrow's structs, released once.
template <class T>
class Owned {
 public:
  Owned() = default;
  Owned(Owned&& other) noexcept : value_(other.value_) { other.value_.release = nullptr; }
  Owned& operator=(Owned&&) = delete;
  ~Owned() {
    if (value_.release != nullptr) value_.release(&value_);
  }
  T* operator->() { return &value_; }
  T* get() { return &value_; }
  bool is_released() const { return value_.release == nullptr; }

 private:
  T value_ = {};
};

// What a capsule holds is moved out of it.
template <class T>
Owned<T> take(nb::handle capsule, const char* name) {
  auto* const held = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (held == nullptr) throw PythonError();
  Owned<T> owned;
  *owned.get() = *held;
  held->release = nullptr;
  if (owned.is_released()) {
    throw Error(ErrorCode::unsupported, std::string("Arrow: the capsule ") + name + " is used up");
  }
  return owned;
}

// The rows of a chunk that are there, as neighbours.
struct Chunk {
  View view;
  Size rows = 0, nulls = 0;
  std::vector<uint8_t> valid;  // bits from `offset` on, kept where there are nulls
};

bool bit(const uint8_t* bits, Size i) { return (bits[i >> 3] >> (i & 7) & 1) != 0; }

std::optional<DType> dtype_of(std::string_view format) {
  if (format.size() != 1) return {};
  switch (format[0]) {
    case 'b':
      return DType::boolean;
    case 'c':
      return DType::i8;
    case 'C':
      return DType::u8;
    case 's':
      return DType::i16;
    case 'S':
      return DType::u16;
    case 'i':
      return DType::i32;
    case 'I':
      return DType::u32;
    case 'l':
      return DType::i64;
    case 'L':
      return DType::u64;
    case 'e':
      return DType::f16;
    case 'f':
      return DType::f32;
    case 'g':
      return DType::f64;
    default:
      return {};
  }
}

DType check_schema(const std::string& op, arrow::Schema& schema) {
  const std::string format = schema.format == nullptr ? "" : schema.format;
  const std::optional<DType> dtype = schema.dictionary == nullptr ? dtype_of(format) : std::nullopt;
  if (dtype) return *dtype;
  throw Error(
      ErrorCode::unsupported,
      op + ": Arrow data of " +
          (format == "+s"
               ? "several columns are folded column by column"
               : (schema.dictionary != nullptr ? "a dictionary of \"" : "format \"") + format +
                     "\" cannot be folded; columns of bool, integers and "
                     "floats to 64 bits can"));
}

// Copies only what cannot be folded where it is: bits, and rows between nulls.
Chunk chunk_of(DType dtype, std::shared_ptr<Owned<arrow::Array>> owner) {
  arrow::Array& array = *owner->get();
  Chunk c;
  c.rows = static_cast<Size>(array.length);
  const auto offset = static_cast<Size>(array.offset);
  const auto* const bits = static_cast<const uint8_t*>(array.buffers[0]);
  const auto* const data = static_cast<const std::byte*>(array.buffers[1]);
  if (bits != nullptr && array.null_count != 0) {
    c.valid.assign((c.rows + 7) / 8, 0);
    for (Size i = 0; i < c.rows; ++i) {
      const bool there = bit(bits, offset + i);
      c.valid[i >> 3] |= static_cast<uint8_t>(there << (i & 7));
      c.nulls += there ? 0 : 1;
    }
  }
  const unsigned bytes = bytes_of(dtype);
  c.view.ref.dtype = dtype;
  c.view.ref.shape = Dims(static_cast<int64_t>(c.rows - c.nulls));
  c.view.ref.strides = row_major(c.view.ref.shape, dtype);
  if (dtype != DType::boolean && c.nulls == 0) {
    c.view.ref.data = data == nullptr ? nullptr : data + offset * bytes;
    c.view.release = [owner] {};
    return c;
  }
  auto copy = std::make_shared<std::vector<std::byte>>((c.rows - c.nulls) * bytes);
  std::byte* to = copy->data();
  for (Size i = 0; i < c.rows; ++i) {
    if (c.nulls != 0 && !bit(c.valid.data(), i)) continue;
    if (dtype == DType::boolean) {
      *to = std::byte{bit(reinterpret_cast<const uint8_t*>(data), offset + i)};
    } else {
      std::memcpy(to, data + (offset + i) * bytes, bytes);
    }
    to += bytes;
  }
  c.view.ref.data = copy->data();
  c.view.release = [copy] {};
  return c;
}

// Where the k-th row that is there stands among all.
Size place(const Chunk& c, Size k) {
  if (c.nulls == 0) return k;
  for (Size i = 0; i < c.rows; ++i) {
    if (bit(c.valid.data(), i) && k-- == 0) return i;
  }
  throw Error(ErrorCode::internal, "a place is outside of its chunk");
}

// All rows as an ndarray, 0 where there is none, and an ndarray of which are there.
nb::object expanded(const Chunk& c) {
  const DType dtype = c.view.ref.dtype;
  const unsigned bytes = bytes_of(dtype);
  const Dims shape(static_cast<int64_t>(c.rows));
  Ref values = numpy::make_array(dtype, shape), there = numpy::make_array(DType::boolean, shape);
  auto* to = static_cast<std::byte*>(numpy::data_of(values.get()));
  auto* flag = static_cast<bool*>(numpy::data_of(there.get()));
  const auto* from = static_cast<const std::byte*>(c.view.ref.data);
  for (Size i = 0; i < c.rows; ++i) {
    flag[i] = c.nulls == 0 || bit(c.valid.data(), i);
    if (flag[i]) {
      std::memcpy(to + i * bytes, from, bytes);
      from += bytes;
    } else {
      std::memset(to + i * bytes, 0, bytes);
    }
  }
  return nb::make_tuple(nb::steal(values.release()), nb::steal(there.release()));
}

[[noreturn]] void stream_failed(const std::string& op, arrow::Stream& stream, int code) {
  const char* const text = stream.get_last_error(&stream);
  throw Error(ErrorCode::read_failed,
              op + ": the Arrow stream failed: " + (text != nullptr ? text : std::strerror(code)));
}

nb::list chunks_of_stream(const std::string& op, nb::handle capsule) {
  auto stream = take<arrow::Stream>(capsule, "arrow_array_stream");
  Owned<arrow::Schema> schema;
  if (const int code = stream->get_schema(stream.get(), schema.get()); code != 0) {
    stream_failed(op, *stream.get(), code);
  }
  const DType dtype = check_schema(op, *schema.get());
  nb::list chunks;
  while (true) {
    auto array = std::make_shared<Owned<arrow::Array>>();
    if (const int code = stream->get_next(stream.get(), array->get()); code != 0) {
      stream_failed(op, *stream.get(), code);
    }
    if (array->is_released()) break;
    chunks.append(nb::cast(chunk_of(dtype, std::move(array))));
  }
  if (nb::len(chunks) == 0) {  // nothing, but of a type
    Chunk none;
    none.view.ref = ArrayRef(nullptr, dtype, Dims(int64_t{0}));
    none.view.ref.strides = row_major(none.view.ref.shape, dtype);
    chunks.append(nb::cast(std::move(none)));
  }
  return chunks;
}

nb::list chunks_of_array(const std::string& op, nb::handle schema_capsule, nb::handle capsule) {
  auto schema = take<arrow::Schema>(schema_capsule, "arrow_schema");
  auto array = std::make_shared<Owned<arrow::Array>>(take<arrow::Array>(capsule, "arrow_array"));
  nb::list chunks;
  chunks.append(nb::cast(chunk_of(check_schema(op, *schema.get()), std::move(array))));
  return chunks;
}

}  // namespace

void add_arrow(nb::module_& m) {
  nb::class_<Chunk>(m, "Chunk", "Rows of a column that are there; it keeps the memory.")
      .def_prop_ro(
          "view", [](Chunk& c) -> View& { return c.view; }, nb::rv_policy::reference_internal)
      .def_prop_ro("dtype", [](const Chunk& c) { return name_of(c.view.ref.dtype); })
      .def_ro("rows", &Chunk::rows)
      .def_ro("nulls", &Chunk::nulls)
      .def("place", place)
      .def("expanded", expanded);
  m.def("arrow_stream", chunks_of_stream);
  m.def("arrow_array", chunks_of_array);
}

}  // namespace onefold::python
