#include "sequence.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

namespace nb = nanobind;

namespace onefold::python {
namespace {

[[noreturn]] void unsupported_item(const char* op, const std::string& text) {
  throw Error(ErrorCode::unsupported, std::string(op) + ": " + text);
}

bool is_number(PyObject* x) {
  return Py_TYPE(x) == &PyFloat_Type || Py_TYPE(x) == &PyLong_Type || Py_TYPE(x) == &PyBool_Type;
}
bool is_row(PyObject* x) { return PyList_Check(x) != 0 || PyTuple_Check(x) != 0; }

#ifdef Py_GIL_DISABLED
// Returns the same numbers as tuples, which no other thread changes while they are read.
//   depth  of rows that may still be inside; those that are deeper are refused anyway
Ref in_tuples(PyObject* x, int depth = max_rank + 1) {
  if (!is_row(x) || depth == 0) return Ref::borrow(x);
  const Ref from(PyList_Check(x) != 0 ? checked(PyList_AsTuple(x)) : Py_NewRef(x));
  const Py_ssize_t n = PyTuple_Size(from.get());
  Ref to(checked(PyTuple_New(n)));
  for (Py_ssize_t i = 0; i < n; ++i) {
    Ref item = in_tuples(PyTuple_GetItem(from.get(), i), depth - 1);
    checked(PyTuple_SetItem(to.get(), i, item.release()));
  }
  return to;
}
#endif

class Reader {
 public:
  Reader(const char* op, Sequence& found) : op_(op), found_(found) {}

  // Reads x; returns false if it contains anything other than Python's numbers.
  bool read(PyObject* x) {
    if (read_alike(x)) return true;
    found_ = {};
    if (!find_shape(x) || !find_kinds(x, 0)) return false;
    found_.dtype = floats_     ? DType::f64
                   : integers_ ? DType::i64
                   : bools_    ? DType::boolean
                               : DType::f64;  // an empty sequence is f64
    if (found_.dtype == DType::boolean) {
      found_.words.resize((count_ + 7) / 8);
    } else {
      found_.words.resize(count_);
    }
    write(x, 0);
    return true;
  }

 private:
  // Reads a row that has only floats, or only integers of 64 bits, in one pass; returns false, with
  // anything in `found_`, if it is another one.
  bool read_alike(PyObject* x) {
    const Py_ssize_t n = is_row(x) ? size(x) : 0;
    if (n == 0) return false;
    PyTypeObject* const type = Py_TYPE(item(x, 0));
    const bool floats = type == &PyFloat_Type;
    if (!floats && type != &PyLong_Type) return false;
    found_.words.resize(static_cast<std::size_t>(n));
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* const y = item(x, i);
      if (Py_TYPE(y) != type) return false;
      uint64_t& word = found_.words[static_cast<std::size_t>(i)];
      if (floats) {
        word = bit_cast<uint64_t>(PyFloat_AsDouble(y));
        continue;
      }
      int overflow = 0;
      word = static_cast<uint64_t>(PyLong_AsLongLongAndOverflow(y, &overflow));
      if (overflow != 0) return false;
    }
    found_.dtype = floats ? DType::f64 : DType::i64;
    found_.shape = Dims(static_cast<int64_t>(n));
    return true;
  }

  // Finds the shape from the first rows; the lengths of other rows are checked when they are read.
  bool find_shape(PyObject* x) {
    for (; is_row(x); x = item(x, 0)) {
      if (found_.shape.rank() == max_rank) {
        unsupported_item(op_,
                         "a sequence of more than " + std::to_string(max_rank) + " dimensions");
      }
      found_.shape.push_back(size(x));
      if (found_.shape[found_.shape.rank() - 1] == 0) return true;
    }
    return is_number(x);
  }

  static Py_ssize_t size(PyObject* row) {
    return PyList_Check(row) != 0 ? PyList_Size(row) : PyTuple_Size(row);
  }
  static PyObject* item(PyObject* row, Py_ssize_t i) {  // a borrowed reference
    return PyList_Check(row) != 0 ? PyList_GetItem(row, i) : PyTuple_GetItem(row, i);
  }

  bool find_kinds(PyObject* x, int axis) {
    const bool leaf = axis == found_.shape.rank();
    if (leaf ? is_row(x) : is_number(x)) {
      unsupported_item(op_,
                       "a sequence that is not an array: it holds rows and numbers side by side");
    }
    if (leaf && is_number(x)) {
      add_kind(x);
      return true;
    }
    if (leaf || !is_row(x)) return false;
    const Py_ssize_t n = size(x);
    if (n != found_.shape[axis]) {
      unsupported_item(op_,
                       "a sequence that is not an array: it has rows of " +
                           std::to_string(std::min<int64_t>(n, found_.shape[axis])) + " and of " +
                           std::to_string(std::max<int64_t>(n, found_.shape[axis])) + " elements");
    }
    const bool last = axis + 1 == found_.shape.rank();
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* const y = item(x, i);
      if (last && is_number(y)) {
        add_kind(y);
      } else if (!find_kinds(y, axis + 1)) {
        return false;
      }
    }
    return true;
  }

  void add_kind(PyObject* x) {
    ++count_;
    floats_ |= Py_TYPE(x) == &PyFloat_Type;
    integers_ |= Py_TYPE(x) == &PyLong_Type;
    bools_ |= Py_TYPE(x) == &PyBool_Type;
  }

  void write(PyObject* x, int axis) {
    if (axis == found_.shape.rank()) {
      add(x);
      return;
    }
    for (Py_ssize_t i = 0; i < found_.shape[axis]; ++i) write(item(x, i), axis + 1);
  }

  void add(PyObject* x) {
    if (found_.dtype == DType::boolean) {
      reinterpret_cast<bool*>(found_.words.data())[at_++] = x == Py_True;
    } else if (found_.dtype == DType::f64) {
      found_.words[at_++] = bit_cast<uint64_t>(float_of(x));
    } else {
      found_.words[at_++] = integer_of(x);
    }
  }

  double float_of(PyObject* x) const {
    if (Py_TYPE(x) == &PyFloat_Type) return PyFloat_AsDouble(x);
    const double v = PyLong_AsDouble(x);
    if (-0x1p53 < v && v < 0x1p53 && v != -1.0) return v;
    const bool fits = v != -1.0 || PyErr_Occurred() == nullptr;
    PyErr_Clear();
    if (fits) {
      const Ref back(checked(PyLong_FromDouble(v)));
      if (PyObject_RichCompareBool(back.get(), x, Py_EQ) == 1) return v;
    }
    unsupported_item(op_, "an integer of the sequence is not exact in float64");
  }

  uint64_t integer_of(PyObject* x) {
    int overflow = 0;
    const long long v = PyLong_AsLongLongAndOverflow(x, &overflow);
    if (overflow == 0) {
      negative_ |= v < 0;
    } else {
      found_.dtype = DType::u64;
    }
    const uint64_t word = overflow == 0  ? static_cast<uint64_t>(v)
                          : overflow > 0 ? PyLong_AsUnsignedLongLong(x)
                                         : 0;
    const bool beyond = overflow < 0 || PyErr_Occurred() != nullptr;
    PyErr_Clear();
    if (beyond || (found_.dtype == DType::u64 && negative_)) {
      unsupported_item(op_, "an integer of the sequence does not fit 64 bits");
    }
    return word;
  }

  const char* op_;
  Sequence& found_;
  std::size_t count_ = 0, at_ = 0;
  bool floats_ = false, integers_ = false, bools_ = false, negative_ = false;
};

// Returns a sequence's numbers as a memoryview; None if x is no sequence of numbers.
nb::object pack(const std::string& op, nb::handle x) {
  const std::optional<Sequence> found = read_sequence(x.ptr(), op.c_str());
  if (!found) return nb::none();
  Size n = 1;
  for (const int64_t extent : found->shape) n *= static_cast<Size>(extent);
  if (n == 0 && found->shape.rank() > 1) return nb::none();  // memoryview cannot have this shape
  const nb::bytes bytes(found->words.data(), n * bytes_of(found->dtype));
  const char* const format = found->dtype == DType::boolean ? "?"
                             : found->dtype == DType::i64   ? "q"
                             : found->dtype == DType::u64   ? "Q"
                                                            : "d";
  const nb::object view = nb::steal(checked(PyMemoryView_FromObject(bytes.ptr())));
  if (found->shape.rank() == 1) return view.attr("cast")(format);
  nb::list shape;
  for (const int64_t extent : found->shape) shape.append(extent);
  return view.attr("cast")(format, shape);
}

}  // namespace

std::optional<Sequence> read_sequence(PyObject* x, const char* op) {
  if (!is_row(x) && !is_number(x)) return {};
#ifdef Py_GIL_DISABLED
  const Ref kept = in_tuples(x);
  x = kept.get();
#endif
  Sequence found;
  if (!Reader(op, found).read(x)) return {};
  return found;
}

void add_sequences(nb::module_& m) { m.def("pack", pack, nb::arg("op"), nb::arg("x")); }

}  // namespace onefold::python
