#include "request.hpp"

#include <array>
#include <iterator>

#include "numpy.hpp"

namespace onefold::python {
namespace {

struct Name {
  const char* text;
  PyObject* Keywords::*member;
  bool Takes::*only = nullptr;
};
constexpr Name names[] = {{"axis", &Keywords::axis},
                          {"dim", &Keywords::dim},
                          {"dtype", &Keywords::dtype},
                          {"out", &Keywords::out},
                          {"keepdims", &Keywords::keepdims},
                          {"nan", &Keywords::nan, &Takes::nan},
                          {"where", &Keywords::where},
                          {"threads", &Keywords::threads},
                          {"ddof", &Keywords::ddof, &Takes::ddof},
                          {"correction", &Keywords::correction, &Takes::ddof},
                          {"bias", &Keywords::bias, &Takes::bias},
                          {"fisher", &Keywords::fisher, &Takes::fisher},
                          {"initial", &Keywords::initial, &Takes::initial},
                          {"errors", &Keywords::errors}};

// Returns an interned name; programs' keywords are interned, too, so their addresses are compared.
PyObject* interned(std::size_t i) {
  static const auto texts = [] {
    std::array<PyObject*, std::size(names)> all;
    for (std::size_t k = 0; k < all.size(); ++k) {
      all[k] = checked(PyUnicode_InternFromString(names[k].text));
    }
    return all;
  }();
  return texts[i];
}

[[noreturn]] void type_error(const std::string& text) {
  PyErr_SetString(PyExc_TypeError, text.c_str());
  throw PythonError();
}

std::size_t find_name(const char* op, PyObject* name, Takes takes) {
  const auto taken = [&](std::size_t i) {
    return names[i].only == nullptr || takes.*names[i].only;
  };
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (name == interned(i) && taken(i)) return i;
  }
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (PyUnicode_Compare(name, interned(i)) == 0 && taken(i)) return i;
  }
  const std::string given = text_of(name);
  std::string instead;
  if (given == "progress" || given == "by") {
    instead = std::string("; fold(\"") + op + "\", x, " + given + "=...) takes it";
  } else if (given == "skipna") {
    instead = "; nan=\"omit\" leaves NaN out";
  }
  type_error(std::string(op) + "() got an unexpected keyword argument '" + given + "'" + instead);
}

[[noreturn]] void bad_option(const char* op, const std::string& text) {
  throw Error(ErrorCode::bad_option, std::string(op) + ": " + text);
}

// The text of an object in one line: an array's text has many lines, and some objects have none.
std::string repr_of(PyObject* x) {
  const Ref repr(PyObject_Repr(x));
  if (!repr) PyErr_Clear();
  const std::string text = repr ? text_of(repr.get()) : "a " + name_of_type(x);
  std::string line;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space || line.empty() || line.back() != ' ') line += space ? ' ' : c;
    if (line.size() == 80) return line + "...";
  }
  return line;
}

Correction correction_of(const char* op, PyObject* value) {
  if (PyFloat_Check(value)) return Correction(PyFloat_AsDouble(value));
  if (PyIndex_Check(value)) return Correction(read_integer(op, "ddof", value));
  const Ref number(PyUnicode_Check(value) ? nullptr : PyNumber_Float(value));
  if (!number) {
    PyErr_Clear();
    bad_option(op, "ddof=" + repr_of(value) + " is not a number");
  }
  return Correction(PyFloat_AsDouble(number.get()));
}

bool is_path(PyObject* x) {
  return PyUnicode_Check(x) || PyObject_HasAttrString(x, "__fspath__") == 1;
}

}  // namespace

std::atomic<int> default_threads = 0;

void read_keywords(const char* op, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                   Py_ssize_t inputs, Takes takes, Keywords& k) {
  // Two columns of a table are arrays of one file.
  const bool of_table = inputs == 2 && nargs == 1 && is_path(args[0]);
  if ((nargs < inputs && !of_table) || nargs > inputs + 1) {
    type_error(
        std::string(op) + "() takes " + std::to_string(inputs) +
        (inputs == 1 ? " array" : " arrays") + " and an axis, everything else by name, and " +
        std::to_string(nargs) +
        (nargs == 1 ? " positional argument was given" : " positional arguments were given"));
  }
  if (nargs > inputs && args[inputs] != Py_None) k.axis = args[inputs];
  const Py_ssize_t n = kwnames == nullptr ? 0 : PyTuple_Size(kwnames);
  for (Py_ssize_t i = 0; i < n; ++i) {
    const std::size_t found = find_name(op, PyTuple_GetItem(kwnames, i), takes);
    if (found == 0 && nargs > inputs) type_error(std::string(op) + "() got two values for axis");
    if (args[nargs + i] != Py_None) k.*names[found].member = args[nargs + i];
  }
}

Options make_options(const char* op, const Keywords& k) {
  Options o;
  if (k.axis != nullptr) o.axes = read_axes(op, k.axis);
  if (k.dtype != nullptr) o.result = numpy::dtype_of_object(k.dtype, op, k.dtype_is);
  o.keepdims = read_flag(op, "keepdims", k.keepdims);
  if (k.nan != nullptr) o.nan = read_nan(op, k.nan);
  o.ddof = read_correction(op, k.ddof, k.correction);
  if (k.bias != nullptr) {  // scipy's word for ddof=0
    const Correction estimate(read_flag(op, "bias", k.bias) ? 0 : 1);
    if (o.ddof.is_given && o.ddof != estimate) {
      bad_option(op, "bias=" + repr_of(k.bias) + " is ddof=" + std::to_string(estimate.numerator) +
                         "; give one of them");
    }
    o.ddof = estimate;
  }
  if (k.initial != nullptr) o.initial = read_scalar(op, k.initial);
  o.threads = k.threads == nullptr ? default_threads.load() : read_threads(op, k.threads);
  return o;
}

bool read_flag(const char* op, const char* name, PyObject* flag) {
  if (flag == nullptr || flag == Py_False) return false;
  const bool text = PyUnicode_Check(flag) || PyBytes_Check(flag);  // such as "no"
  const int truth = text ? -1 : PyObject_IsTrue(flag);
  if (truth < 0) {  // an array with several elements
    PyErr_Clear();
    bad_option(op, std::string(name) + "=" + repr_of(flag) + " is neither True nor False");
  }
  return truth != 0;
}

int64_t read_integer(const char* op, const char* name, PyObject* value) {
  const Ref number(PyNumber_Index(value));
  if (!number) {
    PyErr_Clear();
    const bool axis = name == std::string_view("axis");  // a TypeError, as NumPy raises
    throw Error(axis ? ErrorCode::type_mismatch : ErrorCode::bad_option,
                std::string(op) + ": " + name + "=" + repr_of(value) + " is not an integer");
  }
  int overflow = 0;
  const long long v = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (overflow != 0) {
    bad_option(op, std::string(name) + "=" + repr_of(value) + " does not fit 64 bits");
  }
  return v;
}

Axes read_axes(const char* op, PyObject* axis) {
  if (PyTuple_Check(axis) == 0 && PyList_Check(axis) == 0) {
    return Axes(read_integer(op, "axis", axis));
  }
  const Py_ssize_t n = PySequence_Size(axis);
  if (n > max_rank) {
    throw Error(ErrorCode::bad_axis, std::string(op) + ": axis names " + std::to_string(n) +
                                         " axes; an array has at most " + std::to_string(max_rank));
  }
  int64_t list[max_rank];
  for (Py_ssize_t i = 0; i < n; ++i) {
    const Ref item(checked(PySequence_GetItem(axis, i)));
    list[i] = read_integer(op, "axis", item.get());
  }
  return Axes(std::span<const int64_t>(list, static_cast<std::size_t>(n)));
}

Correction read_correction(const char* op, PyObject* ddof, PyObject* correction) {
  if (ddof == nullptr && correction == nullptr) return {};
  if (ddof == nullptr) return correction_of(op, correction);
  const Correction k = correction_of(op, ddof);
  if (correction != nullptr && correction_of(op, correction) != k) {
    bad_option(op, "ddof=" + repr_of(ddof) + " and correction=" + repr_of(correction) +
                       " both set ddof; pass only one of them");
  }
  return k;
}

Scalar read_scalar(const char* op, PyObject* value) {
  if (PyBool_Check(value)) return Scalar(value == Py_True);
  if (PyFloat_Check(value)) return Scalar(PyFloat_AsDouble(value));
  const Ref index(PyNumber_Index(value));
  if (index) {
    int overflow = 0;
    const long long v = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
    if (overflow == 0) return Scalar(static_cast<int64_t>(v));
    const unsigned long long u = PyLong_AsUnsignedLongLong(index.get());
    if (PyErr_Occurred() == nullptr) return Scalar(static_cast<uint64_t>(u));
    PyErr_Clear();
    bad_option(op, "initial=" + repr_of(value) + " does not fit 64 bits");
  }
  PyErr_Clear();
  const Ref imag(PyObject_GetAttrString(value, "imag"));  // which a complex scalar of NumPy drops
  PyErr_Clear();
  const bool is_real = !imag || PyObject_IsTrue(imag.get()) == 0;
  const Ref number(PyUnicode_Check(value) || !is_real ? nullptr : PyNumber_Float(value));
  if (!number) {
    PyErr_Clear();
    bad_option(op, "initial=" + repr_of(value) + " is not a number");
  }
  return Scalar(PyFloat_AsDouble(number.get()));
}

NanPolicy read_nan(const char* op, PyObject* nan) {
  const std::string text = PyUnicode_Check(nan) ? text_of(nan) : std::string();
  for (const NanPolicy p : {NanPolicy::propagate, NanPolicy::omit, NanPolicy::raise}) {
    if (text == name_of(p)) return p;
  }
  bad_option(op, "nan=" + repr_of(nan) + " is not one of \"propagate\", \"omit\", \"raise\"");
}

void wrong_type(const char* argument, PyObject* given, const char* wanted) {
  throw Error(ErrorCode::type_mismatch,
              std::string(argument) + " is a " + name_of_type(given) + ", and must be " + wanted);
}

int read_threads(const char* op, PyObject* threads) {
  const int64_t n = read_integer(op, "threads", threads);
  if (n < 0 || n > 65536) {
    bad_option(op, "threads=" + std::to_string(n) + " is not between 0 (one per core) and 65536");
  }
  return static_cast<int>(n);
}

}  // namespace onefold::python
