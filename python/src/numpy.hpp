// NumPy where the program has imported it: it is never imported to look at other arrays.
#pragma once

#include <optional>
#include <string>

#include "onefold/fold.hpp"
#include "python.hpp"

namespace onefold::python::numpy {

// Whether `x` is an ndarray (or of a class derived from it). Costs a comparison.
bool is_array(PyObject* x);
bool is_exact_array(PyObject* x);
bool is_scalar(PyObject* x);  // np.float64(...)
bool is_number(PyObject* x);  // of scalars
bool is_time(PyObject* x);    // of arrays: datetime64 and timedelta64

// What an ndarray is, without copying.
struct View {
  ArrayRef ref;
  bool native = true;      // false: big-endian, to be copied by the caller
  bool c_order = false;    // without holes
  bool any_order = false;  // without holes, the first axis fastest
  bool writeable = false;
};
// throws unsupported, naming the dtype
View view(PyObject* array, const char* op);

// Neighbours in memory, natively ordered: what most calls fold.
struct Run {
  const void* data;
  DType dtype;
  Size n;
};
// false: an object of another kind, or an array with holes, or one to be looked at more closely.
//   any_order  an array whose first axis is the fastest will do
bool is_run(PyObject* x, bool any_order, Run& run);

// A new array in C order; `data`, where given, is copied into it.
//   throws  PythonError, where NumPy is missing too
Ref make_array(DType t, const Dims& shape, const void* data = nullptr);
void* data_of(PyObject* array);
void copy_into(PyObject* out, PyObject* array);  // of the same type and shape

// A scalar of NumPy: np.float64(...).
PyObject* make_scalar(DType t, uint64_t bits);

// The type that dtype= names: "f4", np.float32, "bfloat16", an ndarray's dtype, float.
//   keyword  what it is called there
//   throws   bad_option
DType dtype_of_object(PyObject* dtype, const char* op, const char* keyword = "dtype");

// "f64" and its like.
//   throws  bad_option
DType dtype_named(const std::string& name);

// Python's bool, int or float.
PyObject* make_python(DType t, uint64_t bits);

}  // namespace onefold::python::numpy
