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

// Owns one of Arrow's structs, and releases it once.
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

// Moves the struct out of a capsule.
template <class T>
Owned<T> take_arrow(nb::handle capsule, const char* name) {
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

bool bit(const uint8_t* bits, Size i) { return (bits[i >> 3] >> (i & 7) & 1) != 0; }

std::optional<DType> arrow_dtype_of(std::string_view format) {
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

// Returns the usual name of the type that an Arrow format means.
const char* meaning_of(const std::string& format) {
  if (format == "n") return "nulls only";
  if (format == "u" || format == "U" || format == "vu") return "text";
  if (format == "z" || format == "Z" || format == "vz" || format.starts_with('w')) return "bytes";
  if (format.starts_with('d')) return "decimals";
  if (format.starts_with('t')) return "dates or times";
  return format.starts_with('+') ? "lists or records" : "another type";
}

DType check_schema(const std::string& op, arrow::Schema& schema) {
  const std::string format = schema.format == nullptr ? "" : schema.format;
  const std::optional<DType> dtype =
      schema.dictionary == nullptr ? arrow_dtype_of(format) : std::nullopt;
  if (dtype) return *dtype;
  throw Error(
      ErrorCode::unsupported,
      op + ": Arrow data of " +
          (format == "+s" ? "several columns are folded column by column"
                          : (schema.dictionary != nullptr ? "a dictionary of \"" : "format \"") +
                                format + "\" (" + meaning_of(format) +
                                ") cannot be folded; columns of bool, integers and "
                                "floats to 64 bits can"));
}

// Copies only a column of bits, since the engine has no arrays of bits.
Chunk chunk_of(DType dtype, std::shared_ptr<Owned<arrow::Array>> owner) {
  arrow::Array& array = *owner->get();
  Chunk c;
  const auto rows = static_cast<Size>(array.length), offset = static_cast<Size>(array.offset);
  const auto* const data = static_cast<const uint8_t*>(array.buffers[1]);
  c.view.ref.dtype = dtype;
  c.view.ref.shape = Dims(array.length);
  c.view.ref.strides = row_major(c.view.ref.shape, dtype);
  if (array.buffers[0] != nullptr && array.null_count != 0) {
    c.mask = Mask::of_bits(array.buffers[0], offset, c.view.ref.shape);
  }
  if (dtype != DType::boolean) {
    c.view.ref.data = data == nullptr ? nullptr : data + offset * bytes_of(dtype);
    c.view.release = [owner] {};
    return c;
  }
  auto copy = std::make_shared<std::vector<uint8_t>>(rows);
  for (Size i = 0; i < rows; ++i) (*copy)[i] = bit(data, offset + i);
  c.view.ref.data = copy->data();
  c.view.release = [copy, owner] {};
  return c;
}

// Returns all rows as an ndarray over the chunk's memory, and a mask of the rows that are not null,
// or None.
nb::object expanded(nb::handle self) {
  const Chunk& c = nb::cast<const Chunk&>(self);
  const ArrayRef& x = c.view.ref;
  Ref values = x.data == nullptr ? numpy::make_array(x.dtype, x.shape)
                                 : numpy::array_over(x, x.dtype, self.ptr());
  if (!c.mask) return nb::make_tuple(nb::steal(values.release()), nb::none());
  Ref there = numpy::make_array(DType::boolean, x.shape);
  auto* const flag = static_cast<bool*>(numpy::data_of(there.get()));
  for (Size i = 0; i < static_cast<Size>(x.shape[0]); ++i) {
    flag[i] = bit(static_cast<const uint8_t*>(c.mask->array.data), c.mask->first + i);
  }
  return nb::make_tuple(nb::steal(values.release()), nb::steal(there.release()));
}

[[noreturn]] void stream_failed(const std::string& op, arrow::Stream& stream, int code) {
  const char* const text = stream.get_last_error(&stream);
  throw Error(ErrorCode::read_failed,
              op + ": the Arrow stream failed: " + (text != nullptr ? text : std::strerror(code)));
}

std::vector<Chunk> read_stream(const std::string& op, nb::handle capsule) {
  auto stream = take_arrow<arrow::Stream>(capsule, "arrow_array_stream");
  Owned<arrow::Schema> schema;
  if (const int code = stream->get_schema(stream.get(), schema.get()); code != 0) {
    stream_failed(op, *stream.get(), code);
  }
  const DType dtype = check_schema(op, *schema.get());
  std::vector<Chunk> chunks;
  while (true) {
    auto array = std::make_shared<Owned<arrow::Array>>();
    if (const int code = stream->get_next(stream.get(), array->get()); code != 0) {
      stream_failed(op, *stream.get(), code);
    }
    if (array->is_released()) break;
    chunks.push_back(chunk_of(dtype, std::move(array)));
  }
  if (chunks.empty()) {  // a column without rows still has a type
    ArrayRef& none = chunks.emplace_back().view.ref;
    none = ArrayRef(nullptr, dtype, Dims(int64_t{0}));
    none.strides = row_major(none.shape, dtype);
  }
  return chunks;
}

Chunk read_array(const std::string& op, nb::handle schema_capsule, nb::handle capsule) {
  auto schema = take_arrow<arrow::Schema>(schema_capsule, "arrow_schema");
  auto array =
      std::make_shared<Owned<arrow::Array>>(take_arrow<arrow::Array>(capsule, "arrow_array"));
  return chunk_of(check_schema(op, *schema.get()), std::move(array));
}

nb::list chunks_of_stream(const std::string& op, nb::handle capsule) {
  nb::list chunks;
  for (Chunk& chunk : read_stream(op, capsule)) chunks.append(nb::cast(std::move(chunk)));
  return chunks;
}

nb::list chunks_of_array(const std::string& op, nb::handle schema, nb::handle capsule) {
  nb::list chunks;
  chunks.append(nb::cast(read_array(op, schema, capsule)));
  return chunks;
}

// Calls a method without arguments; null if there is none, or if it raises.
Ref called(PyObject* x, PyObject* method) {
  const Ref bound(PyObject_GetAttr(x, method));
  Ref answer(bound ? PyObject_CallNoArgs(bound.get()) : nullptr);
  if (!answer) PyErr_Clear();
  return answer;
}

}  // namespace

std::optional<Chunk> read_column(PyObject* x, const char* op, bool is_stream) {
  static PyObject* const names[] = {PyUnicode_InternFromString("__arrow_c_array__"),
                                    PyUnicode_InternFromString("__arrow_c_stream__")};
  try {
    const Ref pair = is_stream ? Ref() : called(x, names[0]);
    if (pair && PyTuple_Check(pair.get()) && PyTuple_Size(pair.get()) == 2) {
      return read_array(op, PyTuple_GetItem(pair.get(), 0), PyTuple_GetItem(pair.get(), 1));
    }
    if (const Ref stream = called(x, names[1])) {
      std::vector<Chunk> chunks = read_stream(op, stream.get());
      if (chunks.size() == 1) return std::move(chunks[0]);
    }
  } catch (const Error&) {  // a frame, or an error that the general path describes better
  } catch (const PythonError&) {
    PyErr_Clear();
  }
  return {};
}

const Mask* mask_of_chunk(PyObject* x) {
  Chunk* chunk = nullptr;
  if (!nb::try_cast(nb::handle(x), chunk) || chunk == nullptr || !chunk->mask) return nullptr;
  return &*chunk->mask;
}

void add_arrow(nb::module_& m) {
  nb::class_<Chunk>(
      m, "Chunk",
      "Rows of a column; it keeps the memory, and as where= takes those that are not null.")
      .def_prop_ro(
          "view", [](Chunk& c) -> View& { return c.view; }, nb::rv_policy::reference_internal)
      .def_prop_ro("dtype", [](const Chunk& c) { return name_of(c.view.ref.dtype); })
      .def_prop_ro("rows", [](const Chunk& c) { return c.view.ref.shape[0]; })
      .def_prop_ro("nulls", [](const Chunk& c) { return c.mask.has_value(); })
      .def("expanded", expanded);
  m.def("arrow_stream", chunks_of_stream);
  m.def("arrow_array", chunks_of_array);
}

}  // namespace onefold::python
