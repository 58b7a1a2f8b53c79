#include "column.hpp"

#include <string_view>
#include <utility>

#include "numpy.hpp"

namespace onefold::python {
namespace {

// Returns the module of x's type, which keeps the text; empty if there is none.
std::string_view module_of(PyObject* x) {
  static PyObject* const name = PyUnicode_InternFromString("__module__");
  const Ref module(PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(x)), name));
  Py_ssize_t n = 0;
  const char* const text =
      module && PyUnicode_Check(module.get()) != 0 ? PyUnicode_AsUTF8AndSize(module.get(), &n) : "";
  PyErr_Clear();
  return text == nullptr ? std::string_view() : std::string_view(text, static_cast<std::size_t>(n));
}

// Returns a column of pandas as an ndarray, or nothing if its elements are no numbers of NumPy.
Ref ndarray_of_pandas(PyObject* x) {
  // The attribute in which a Series holds its array, if it does; to_numpy() takes ten times as
  // long.
  static PyObject* const held = PyUnicode_InternFromString("_values");
  Ref own(PyObject_GetAttr(x, held));
  if (own && numpy::is_line_of_numbers(own.get())) return own;
  PyErr_Clear();
  const Ref dtype(PyObject_GetAttrString(x, "dtype"));
  const Ref kind(dtype ? PyObject_GetAttrString(dtype.get(), "kind") : nullptr);
  const bool known = kind && PyUnicode_Check(kind.get()) != 0 &&
                     name_of_type(dtype.get()).starts_with("numpy.") &&
                     std::string_view("biuf").find(text_of(kind.get())) != std::string_view::npos;
  Ref array(known ? PyObject_CallMethod(x, "to_numpy", nullptr) : nullptr);
  PyErr_Clear();
  return array;
}

}  // namespace

bool Column::read(PyObject* x, const char* op, Options& options) {
  const std::string_view module = module_of(x), library = module.substr(0, module.find('.'));
  in.source = Source::buffer;
  if (library == "pandas") {
    const Ref array = ndarray_of_pandas(x);
    const bool is_read = array && in.read(array.get(), op);
    in.source = Source::buffer;
    return is_read;
  }
  // Other libraries are excluded, since their streams may allow only one reading.
  if (library != "polars" && library != "pyarrow") return false;
  std::optional<Chunk> found = read_column(x, op, library == "polars");
  if (!found) return false;
  chunk.emplace(std::move(*found));
  in.ref = chunk->view.ref;
  in.c_order = in.any_order = true;
  options.where = chunk->mask;
  options.empty_nan = in.size() > 0;
  return true;
}

}  // namespace onefold::python
