#include "input.hpp"

#include <cstring>

#include "numpy.hpp"
#include "sequence.hpp"
#include "view.hpp"

namespace onefold::python {
namespace {

// Returns the element type of a buffer's format: one native or little-endian letter. nullopt:
// another format; the caller swaps bytes of big-endian elements.
std::optional<DType> dtype_of_format(const char* format, Py_ssize_t bytes) {
  if (format == nullptr) return DType::u8;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (*format == '\0' || format[1] != '\0') return {};
  const char c = *format;
  if (c == '?') return DType::boolean;
  if (c == 'e') return DType::f16;
  if (c == 'f') return DType::f32;
  if (c == 'd') return DType::f64;
  const bool is_signed = std::strchr("bhilqn", c) != nullptr;
  if (!is_signed && std::strchr("BHILQN", c) == nullptr) return {};
  switch (bytes) {
    case 1:
      return is_signed ? DType::i8 : DType::u8;
    case 2:
      return is_signed ? DType::i16 : DType::u16;
    case 4:
      return is_signed ? DType::i32 : DType::u32;
    case 8:
      return is_signed ? DType::i64 : DType::u64;
    default:
      return {};
  }
}

// Returns whether a buffer is Python's own. Other buffers may belong to a library's array, whose
// answers must be of that library.
bool is_plain_buffer(PyObject* x) {
  PyTypeObject* const type = Py_TYPE(x);
  return type == &PyMemoryView_Type || type == &PyBytes_Type || type == &PyByteArray_Type ||
         numpy::is_scalar(x) || PyObject_HasAttrString(x, "__array_namespace__") == 0;
}

}  // namespace

Input::~Input() {
  if (has_buffer_) PyBuffer_Release(&buffer_);
}

Size Input::size() const {
  Size n = 1;
  for (const int64_t extent : ref.shape) n *= static_cast<Size>(extent);
  return n;
}

ArrayRef Input::flat() const {
  ArrayRef line(ref.data, ref.dtype, Dims(static_cast<int64_t>(size())));
  line.device = ref.device;
  return line;
}

bool Input::read(PyObject* x, const char* op) {
  if (!numpy::is_exact_array(x)) {
    if (std::optional<Sequence> numbers = read_sequence(x, op)) {
      sequence_ = std::move(numbers->words);
      ref = ArrayRef(sequence_.data(), numbers->dtype, numbers->shape);
      source = Source::buffer;
      c_order = any_order = true;
      return true;
    }
    // Derived classes of ndarray may have a mask or a unit.
    return !numpy::is_array(x) && (read_buffer(x, op) || read_view(x));
  }
  // onefold.operands.times, onefold.operands.complex_numbers and onefold.operands.small fold these.
  if (numpy::is_time(x) || numpy::is_complex(x) || numpy::is_small(x)) return false;
  const numpy::View view = numpy::view(x, op);
  if (!view.native) return false;
  owner_ = Ref::borrow(x);
  ref = view.ref;
  source = Source::numpy;
  c_order = view.c_order;
  any_order = view.c_order || view.any_order;
  return true;
}

bool Input::read_view(PyObject* x) {
  const ArrayRef* const found = array_of_view(x);
  if (found == nullptr) return false;
  owner_ = Ref::borrow(x);
  ref = *found;
  source = Source::view;
  c_order = any_order = ref.strides == row_major(ref.shape, ref.dtype);
  return true;
}

bool Input::read_buffer(PyObject* x, const char* op) {
  if (PyObject_CheckBuffer(x) == 0 || !is_plain_buffer(x)) return false;
  if (numpy::is_scalar(x) && !numpy::is_number(x)) return false;  // times and complex numbers
  if (PyObject_GetBuffer(x, &buffer_, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();  // the object may refuse this, and offer another interface
    return false;
  }
  has_buffer_ = true;
  const std::optional<DType> t = dtype_of_format(buffer_.format, buffer_.itemsize);
  if (!t) {
    if (buffer_.format[0] == '>' || buffer_.format[0] == '!') return false;
    throw Error(ErrorCode::unsupported, std::string(op) + ": a buffer of format \"" +
                                            buffer_.format +
                                            "\" cannot be folded; numbers of 1 to 8 bytes can");
  }
  ref.data = buffer_.buf;
  ref.dtype = *t;
  for (int d = 0; d < buffer_.ndim; ++d) {
    ref.shape.push_back(buffer_.shape[d]);
    if (buffer_.strides != nullptr) ref.strides.push_back(buffer_.strides[d]);
  }
  if (buffer_.strides == nullptr) ref.strides = row_major(ref.shape, *t);  // ctypes gives none
  source = numpy::is_scalar(x) ? Source::numpy : Source::buffer;
  c_order = any_order = ref.strides == row_major(ref.shape, *t);
  return true;
}

}  // namespace onefold::python
