#include "python.hpp"

#include <cstring>
#include <new>
#include <stdexcept>

#include "onefold/error.hpp"

namespace onefold::python {
namespace {

// The engine's words for options are members, ".weights"; Python's are keywords, "weights=".
std::string with_keywords(std::string text) {
  for (const char* option : {".first", ".fweights", ".groups", ".initial", ".weights"}) {
    const std::size_t n = std::strlen(option);
    for (std::size_t at = text.find(option); at != std::string::npos; at = text.find(option, at)) {
      const bool begins = at > 0 && text[at - 1] == ' ';
      if (begins && (text[at + n] == ' ' || text[at + n] == ',')) {
        text.replace(at, n, std::string(option + 1) + "=");
      }
      at += n;
    }
  }
  return text;
}

void raise(const char* code, const std::string& what) {
  try {
    const std::string message = with_keywords(what);
    const Ref make(attribute("onefold._errors", "make"));
    // A damaged file or state may have put any bytes into it.
    const auto n = static_cast<Py_ssize_t>(message.size());
    const Ref text(checked(PyUnicode_DecodeUTF8(message.data(), n, "backslashreplace")));
    const Ref error(checked(PyObject_CallFunction(make.get(), "sO", code, text.get())));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
  } catch (const PythonError&) {
  }
}

}  // namespace

void set_error() noexcept {
  try {
    throw;
  } catch (const PythonError&) {
  } catch (const Error& e) {
    raise(name_of(e.code()), e.what());
  } catch (const std::bad_alloc&) {
    raise(name_of(ErrorCode::out_of_memory), "memory ran out");
  } catch (const std::length_error&) {
    raise(name_of(ErrorCode::out_of_memory), "memory ran out: no memory holds as many answers");
  } catch (const std::exception& e) {
    raise(name_of(ErrorCode::internal), e.what());
  }
}

std::string text_of(PyObject* str) {
  Py_ssize_t n = 0;
  if (const char* text = PyUnicode_AsUTF8AndSize(str, &n)) {
    return {text, static_cast<std::size_t>(n)};
  }
  if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError) == 0) throw PythonError();
  PyErr_Clear();
  const Ref bytes(checked(PyUnicode_AsEncodedString(str, "utf-8", "backslashreplace")));
  return PyBytes_AsString(bytes.get());
}

std::string name_of_type(PyObject* x) {
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(x));
  const Ref module(PyObject_GetAttrString(type, "__module__"));
  const Ref name(PyObject_GetAttrString(type, "__qualname__"));
  PyErr_Clear();
  std::string text;
  if (module && PyUnicode_Check(module.get())) text = text_of(module.get()) + ".";
  return text + (name && PyUnicode_Check(name.get()) ? text_of(name.get()) : "?");
}

PyObject* attribute(const char* module, const char* name) {
  const Ref m(checked(PyImport_ImportModule(module)));
  return checked(PyObject_GetAttrString(m.get(), name));
}

}  // namespace onefold::python
