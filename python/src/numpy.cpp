#include "numpy.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_25_API_VERSION
#include <numpy/arrayobject.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>

namespace onefold::python::numpy {
namespace {

std::atomic<bool> has_api = false;  // NumPy fills PyArray_API before it looks at its own version

// Fills PyArray_API by NumPy's own function, once NumPy has been imported.
bool loaded() {
  if (has_api) return true;
  PyObject* modules = PyImport_GetModuleDict();  // borrowed
  if (PyDict_GetItemString(modules, "numpy") == nullptr) return false;
  checked(_import_array());
  return has_api = true;
}

void load() {
  const Ref numpy(PyImport_ImportModule("numpy"));
  if (!numpy && PyErr_ExceptionMatches(PyExc_ModuleNotFoundError) != 0) {
    PyErr_Clear();
    throw Error(
        ErrorCode::unsupported,
        "answers along axes are arrays of NumPy, which is not installed: pip install numpy");
  }
  if (!numpy) throw PythonError();
  loaded();
}

// ml_dtypes.bfloat16 registers itself when it is imported; it is kept for ever.
std::atomic<PyArray_Descr*> bfloat16_descr = nullptr;

bool is_bfloat16(PyArray_Descr* descr) {
  const PyArray_Descr* const known = bfloat16_descr;
  if (known != nullptr && descr->type_num == known->type_num) return true;
  if (descr->type_num < NPY_USERDEF || descr->type_num == NPY_VSTRING) return false;
  const Ref name(PyObject_GetAttrString(reinterpret_cast<PyObject*>(descr), "name"));
  if (!name) PyErr_Clear();
  if (!name || text_of(name.get()) != "bfloat16") return false;
  bfloat16_descr = reinterpret_cast<PyArray_Descr*>(Py_NewRef(reinterpret_cast<PyObject*>(descr)));
  return true;
}

PyArray_Descr* find_bfloat16() {
  if (PyArray_Descr* const known = bfloat16_descr) return known;
  const Ref module(PyImport_ImportModule("ml_dtypes"));
  if (!module && PyErr_ExceptionMatches(PyExc_ModuleNotFoundError) != 0) {
    PyErr_Clear();
    throw Error(ErrorCode::unsupported,
                "bfloat16: ndarrays of it are of ml_dtypes, which is not installed: pip install "
                "ml_dtypes, or ask for another dtype=");
  }
  if (!module) throw PythonError();
  const Ref type(checked(PyObject_GetAttrString(module.get(), "bfloat16")));
  PyArray_Descr* descr = nullptr;
  if (PyArray_DescrConverter(type.get(), &descr) == 0) throw PythonError();
  bfloat16_descr = descr;
  return descr;
}

std::optional<DType> dtype_of_descr(PyArray_Descr* d) {
  switch (d->type_num) {
    case NPY_BOOL:
      return DType::boolean;
    case NPY_BYTE:
      return DType::i8;
    case NPY_SHORT:
      return DType::i16;
    case NPY_INT:
      return DType::i32;
    case NPY_LONG:
    case NPY_LONGLONG:
      return DType::i64;
    case NPY_UBYTE:
      return DType::u8;
    case NPY_USHORT:
      return DType::u16;
    case NPY_UINT:
      return DType::u32;
    case NPY_ULONG:
    case NPY_ULONGLONG:
      return DType::u64;
    case NPY_HALF:
      return DType::f16;
    case NPY_FLOAT:
      return DType::f32;
    case NPY_DOUBLE:
      return DType::f64;
    default:
      if (is_bfloat16(d)) return DType::bf16;
      return {};
  }
}

constexpr std::array<int, dtype_count> type_nums = [] {
  std::array<int, dtype_count> t{};
  const auto set = [&](DType d, int n) { t[static_cast<std::size_t>(d)] = n; };
  set(DType::boolean, NPY_BOOL);
  set(DType::i8, NPY_BYTE);
  set(DType::i16, NPY_SHORT);
  set(DType::i32, NPY_INT);
  set(DType::i64, NPY_LONG);
  set(DType::u8, NPY_UBYTE);
  set(DType::u16, NPY_USHORT);
  set(DType::u32, NPY_UINT);
  set(DType::u64, NPY_ULONG);
  set(DType::f16, NPY_HALF);
  set(DType::bf16, -1);
  set(DType::f32, NPY_FLOAT);
  set(DType::f64, NPY_DOUBLE);
  return t;
}();

// A type's names in NumPy, torch and the Array API, which need none of them.
struct LongName {
  const char* text;
  DType dtype;
};
constexpr LongName long_names[] = {
    {"int8", DType::i8},     {"int16", DType::i16},   {"int32", DType::i32},
    {"int64", DType::i64},   {"uint8", DType::u8},    {"uint16", DType::u16},
    {"uint32", DType::u32},  {"uint64", DType::u64},  {"float16", DType::f16},
    {"float32", DType::f32}, {"float64", DType::f64}, {"bfloat16", DType::bf16}};

std::optional<DType> dtype_with_name(std::string_view name) {
#define ONEFOLD_DTYPE(symbol, spelling, type, kind, bytes) \
  if (name == spelling) return DType::symbol;
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  return {};
}

std::optional<DType> dtype_with_long_name(std::string_view name) {
  if (name == "bool") return DType::boolean;
  for (const LongName& n : long_names) {
    if (name == n.text) return n.dtype;
  }
  return {};
}

// Returns the type of a library whose types NumPy does not know: torch.float64, polars.Float64.
std::optional<DType> dtype_of_library(PyObject* dtype) {
  const Ref text(PyObject_Str(dtype));
  if (!text) {
    PyErr_Clear();
    return {};
  }
  std::string name = text_of(text.get());
  name = name.substr(name.rfind('.') + 1);  // of npos: the whole name
  for (char& c : name) c = 'A' <= c && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return dtype_with_long_name(name);
}

// Returns a new reference.
PyArray_Descr* descr_of(DType t) {
  if (t == DType::bf16) {
    return reinterpret_cast<PyArray_Descr*>(
        Py_NewRef(reinterpret_cast<PyObject*>(find_bfloat16())));
  }
  return PyArray_DescrFromType(type_nums[static_cast<std::size_t>(t)]);
}

std::string text_of_descr(PyObject* descr) {
  const Ref text(checked(PyObject_Str(descr)));
  return text_of(text.get());
}

}  // namespace

bool is_array(PyObject* x) { return loaded() && PyArray_Check(x); }
bool is_exact_array(PyObject* x) { return loaded() && PyArray_CheckExact(x); }

bool is_line_of_numbers(PyObject* x) {
  if (!is_exact_array(x)) return false;
  auto* const a = reinterpret_cast<PyArrayObject*>(x);
  return PyArray_NDIM(a) == 1 && dtype_of_descr(PyArray_DESCR(a)).has_value();
}

bool is_scalar(PyObject* x) { return loaded() && PyArray_IsScalar(x, Generic); }
bool is_number(PyObject* x) {
  return (PyArray_IsScalar(x, Number) || PyArray_IsScalar(x, Bool)) &&
         !PyArray_IsScalar(x, Timedelta) && !PyArray_IsScalar(x, ComplexFloating);
}

bool is_time(PyObject* x) {
  const int type = PyArray_TYPE(reinterpret_cast<PyArrayObject*>(x));
  return type == NPY_DATETIME || type == NPY_TIMEDELTA;
}

bool is_complex(PyObject* x) {
  const int type = PyArray_TYPE(reinterpret_cast<PyArrayObject*>(x));
  return type == NPY_CFLOAT || type == NPY_CDOUBLE;
}

bool is_object(PyObject* x) {
  return PyArray_TYPE(reinterpret_cast<PyArrayObject*>(x)) == NPY_OBJECT;
}

bool is_small(PyObject* x) {
  PyArray_Descr* const descr = PyArray_DESCR(reinterpret_cast<PyArrayObject*>(x));
  return descr->type_num >= NPY_USERDEF && descr->type_num != NPY_VSTRING &&
         PyDataType_ELSIZE(descr) == 1;
}

View view(PyObject* array, const char* op) {
  auto* a = reinterpret_cast<PyArrayObject*>(array);
  PyArray_Descr* descr = PyArray_DESCR(a);
  const std::optional<DType> t = dtype_of_descr(descr);
  if (!t) {
    throw Error(ErrorCode::unsupported,
                std::string(op) + ": an array of dtype " +
                    text_of_descr(reinterpret_cast<PyObject*>(descr)) +
                    " cannot be folded; bool, int8 to uint64, float16, bfloat16, float32 and "
                    "float64 can");
  }
  View v;
  const int rank = PyArray_NDIM(a), flags = PyArray_FLAGS(a);
  v.ref.data = PyArray_DATA(a);
  v.ref.dtype = *t;
  for (int d = 0; d < rank; ++d) {
    v.ref.shape.push_back(PyArray_DIMS(a)[d]);
    v.ref.strides.push_back(PyArray_STRIDES(a)[d]);
  }
  v.native = PyArray_ISNBO(descr->byteorder);
  v.c_order = (flags & NPY_ARRAY_C_CONTIGUOUS) != 0;
  v.any_order = (flags & NPY_ARRAY_F_CONTIGUOUS) != 0;
  v.writeable = (flags & NPY_ARRAY_WRITEABLE) != 0;
  return v;
}

bool is_run(PyObject* x, bool any_order, Run& run) {
  if (!has_api || !PyArray_CheckExact(x)) return false;
  auto* a = reinterpret_cast<PyArrayObject*>(x);
  const int wanted =
      any_order ? NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS : NPY_ARRAY_C_CONTIGUOUS;
  PyArray_Descr* descr = PyArray_DESCR(a);
  if ((PyArray_FLAGS(a) & wanted) == 0 || !PyArray_ISNBO(descr->byteorder)) return false;
  const std::optional<DType> t = dtype_of_descr(descr);
  if (!t) return false;
  run.data = PyArray_DATA(a);
  run.dtype = *t;
  run.n = 1;
  for (int d = 0; d < PyArray_NDIM(a); ++d) run.n *= static_cast<Size>(PyArray_DIMS(a)[d]);
  return true;
}

Ref make_array(DType t, const Dims& shape, const void* data) {
  load();
  npy_intp dims[max_rank];
  std::copy(shape.begin(), shape.end(), dims);
  Ref array(checked(PyArray_NewFromDescr(&PyArray_Type, descr_of(t), shape.rank(), dims, nullptr,
                                         nullptr, 0, nullptr)));
  if (data != nullptr) {
    std::memcpy(
        data_of(array.get()), data,
        static_cast<std::size_t>(PyArray_NBYTES(reinterpret_cast<PyArrayObject*>(array.get()))));
  }
  return array;
}

Ref make_array(DType t, const Dims& shape, std::vector<std::byte>&& data) {
  constexpr std::size_t copied = std::size_t{1} << 16;
  if (data.size() < copied) return make_array(t, shape, static_cast<const void*>(data.data()));
  return array_keeping({nullptr, t, shape}, std::move(data));
}

Ref array_keeping(ArrayRef a, std::vector<std::byte>&& data) {
  load();
  auto bytes = std::make_unique<std::vector<std::byte>>(std::move(data));
  Ref owner(checked(PyCapsule_New(bytes.get(), nullptr, [](PyObject* capsule) {
    delete static_cast<std::vector<std::byte>*>(PyCapsule_GetPointer(capsule, nullptr));
  })));
  a.data = bytes.release()->data();
  return array_over(a, a.dtype, owner.get(), true);
}

Ref array_over(const ArrayRef& a, DType t, PyObject* owner, bool writeable) {
  load();
  npy_intp dims[max_rank], steps[max_rank];
  std::copy(a.shape.begin(), a.shape.end(), dims);
  std::copy(a.strides.begin(), a.strides.end(), steps);
  Ref array(checked(PyArray_NewFromDescr(&PyArray_Type, descr_of(t), a.shape.rank(), dims, steps,
                                         const_cast<void*>(a.data),
                                         writeable ? NPY_ARRAY_WRITEABLE : 0, nullptr)));
  auto* const made = reinterpret_cast<PyArrayObject*>(array.get());
  if (PyArray_SetBaseObject(made, Py_NewRef(owner)) != 0) throw PythonError();
  return array;
}

void* data_of(PyObject* array) { return PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)); }

void copy_into(PyObject* out, PyObject* array) {
  checked(PyArray_CopyInto(reinterpret_cast<PyArrayObject*>(out),
                           reinterpret_cast<PyArrayObject*>(array)));
}

PyObject* make_scalar(DType t, uint64_t bits) {
  PyArray_Descr* descr = descr_of(t);
  PyObject* scalar = PyArray_Scalar(&bits, descr, nullptr);
  Py_DECREF(descr);
  return checked(scalar);
}

bool is_big_endian(PyObject* dtype) {
  if (PyUnicode_Check(dtype)) return text_of(dtype).starts_with('>');
  const Ref order(PyObject_GetAttrString(dtype, "byteorder"));
  if (!order) PyErr_Clear();
  return order && PyUnicode_Check(order.get()) && text_of(order.get()) == ">";
}

DType dtype_of_object(PyObject* dtype, const char* op, const char* keyword) {
  const std::string where = std::string(op) + ": " + keyword + "=";
  if (PyUnicode_Check(dtype)) {
    const std::string name = text_of(dtype);
    if (name == "i8" || name == "u8") {
      throw Error(ErrorCode::bad_option, where + "\"" + name +
                                             "\" has 8 bits on the command line and 8 bytes in "
                                             "NumPy; say int8 or int64, uint8 or uint64");
    }
    if (const std::optional<DType> t = dtype_with_name(name)) return *t;
    if (const std::optional<DType> t = dtype_with_long_name(name)) return *t;
  } else if (const std::optional<DType> t = dtype_of_library(dtype)) {
    return *t;
  }
  if (dtype == reinterpret_cast<PyObject*>(&PyFloat_Type)) return DType::f64;
  if (dtype == reinterpret_cast<PyObject*>(&PyLong_Type)) return DType::i64;
  if (dtype == reinterpret_cast<PyObject*>(&PyBool_Type)) return DType::boolean;
  load();
  PyArray_Descr* descr = nullptr;
  if (PyArray_DescrConverter(dtype, &descr) == 0) {
    PyErr_Clear();
    const Ref text(checked(PyObject_Repr(dtype)));
    throw Error(ErrorCode::type_mismatch, where + text_of(text.get()) + " is not a type");
  }
  const Ref hold(reinterpret_cast<PyObject*>(descr));
  const std::optional<DType> t = descr == nullptr ? std::nullopt : dtype_of_descr(descr);
  if (!t) {
    throw Error(ErrorCode::bad_option,
                where + text_of_descr(hold.get()) +
                    " is not a type of an answer; float64, float32, float16, bfloat16 and integers "
                    "are");
  }
  return *t;
}

DType dtype_named(const std::string& name) {
  if (const std::optional<DType> t = dtype_with_name(name)) return *t;
  throw Error(ErrorCode::bad_option, "\"" + name + "\" is not an element type");
}

PyObject* make_python(DType t, uint64_t bits) {
  switch (kind_of(t)) {
    case Kind::boolean:
      return PyBool_FromLong(bits != 0);
    case Kind::unsigned_integer:
      return PyLong_FromUnsignedLongLong(bits);
    case Kind::signed_integer: {
      const unsigned shift = 64 - 8 * bytes_of(t);
      return PyLong_FromLongLong(static_cast<int64_t>(bits << shift) >> shift);
    }
    case Kind::floating:
      break;
  }
  if (t == DType::f64) return PyFloat_FromDouble(bit_cast<double>(bits));
  const auto word = static_cast<uint32_t>(bits);
  // In a thread that takes subnormals for 0 a conversion would, too.
  if (t == DType::f32 && (word & float_format(t).infinity()) != 0) {
    return PyFloat_FromDouble(static_cast<double>(bit_cast<float>(word)));
  }
  const Decoded d = t == DType::f32   ? decode(bit_cast<float>(word))
                    : t == DType::f16 ? decode(float16{static_cast<uint16_t>(bits)})
                                      : decode(bfloat16{static_cast<uint16_t>(bits)});
  double value = std::ldexp(static_cast<double>(d.mantissa), float_format(t).unit + d.shift);
  if (d.infinite) value = HUGE_VAL;
  if (d.nan) value = std::nan("");
  return PyFloat_FromDouble(d.negative ? -value : value);
}

}  // namespace onefold::python::numpy
