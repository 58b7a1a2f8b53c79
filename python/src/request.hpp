// The keywords that all ops share, and the default number of threads.
#pragma once

#include <atomic>

#include "onefold/fold.hpp"
#include "python.hpp"

namespace onefold::python {

// Keywords, as references that the caller's arguments own; null: not given, or None.
struct Keywords {
  PyObject* axis = nullptr;
  PyObject* dim = nullptr;
  PyObject* dtype = nullptr;
  PyObject* out = nullptr;
  PyObject* keepdims = nullptr;
  PyObject* nan = nullptr;
  PyObject* where = nullptr;
  PyObject* threads = nullptr;
  PyObject* ddof = nullptr;
  PyObject* correction = nullptr;
  PyObject* bias = nullptr;
  PyObject* fisher = nullptr;
  PyObject* errors = nullptr;
  PyObject* initial = nullptr;
  const char* dtype_is = "dtype";  // the name that the caller used
};

// The special keywords that a builtin takes in addition to the common ones.
struct Takes {
  bool ddof = false, nan = true, initial = false, bias = false, fisher = false;
};

// Reads the keywords of a METH_FASTCALL builtin.
//   inputs  how many positional arguments are arrays
//   throws  PythonError (a TypeError, as for Python's functions): wrong arguments or names
void read_keywords(const char* op, PyObject* const* args, Py_ssize_t nargs, PyObject* names,
                   Py_ssize_t inputs, Takes takes, Keywords& k);

// throws  bad_option, bad_axis; PythonError
Options make_options(const char* op, const Keywords& k);

Axes read_axes(const char* op, PyObject* axis);
Correction read_correction(const char* op, PyObject* ddof, PyObject* correction);
// Reads one element: a bool, an int or a float, of Python or NumPy.
Scalar read_scalar(const char* op, PyObject* value);
NanPolicy read_nan(const char* op, PyObject* nan);
int read_threads(const char* op, PyObject* threads);
bool read_flag(const char* op, const char* name, PyObject* flag);  // null: false
int64_t read_integer(const char* op, const char* name, PyObject* value);

// Throws type_mismatch, and says what was given for an argument and what it should be.
[[noreturn]] void wrong_type(const char* argument, PyObject* given, const char* wanted);

// The threads of calls without threads=; 0: one per core.
extern std::atomic<int> default_threads;

}  // namespace onefold::python
