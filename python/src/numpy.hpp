// Uses NumPy if the program has imported it; it is never imported to examine other objects.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onefold/fold.hpp"
#include "python.hpp"

namespace onefold::python::numpy {

// Returns whether `x` is an ndarray (or of a derived class). Costs a comparison.
bool is_array(PyObject* x);
bool is_exact_array(PyObject* x);
bool is_scalar(PyObject* x);   // np.float64(...)
bool is_number(PyObject* x);   // for scalars
bool is_time(PyObject* x);     // for arrays: datetime64 and timedelta64
bool is_complex(PyObject* x);  // for arrays: complex64 and complex128
bool is_object(PyObject* x);   // for arrays: of Python's objects
bool is_small(PyObject* x);    // for arrays: types of one byte that libraries add to NumPy

// Describes an ndarray without copying it.
struct View {
  ArrayRef ref;
  bool native = true;      // false: big-endian; the caller must copy it
  bool c_order = false;    // contiguous
  bool any_order = false;  // contiguous, the first axis fastest
  bool writeable = false;
};
// throws unsupported, naming the dtype
View view(PyObject* array, const char* op);

// Contiguous elements in native byte order, which most calls fold.
struct Run {
  const void* data;
  DType dtype;
  Size n;
};
// Returns false for other objects, arrays with holes, or arrays that need a closer look.
//   any_order  the first axis may be the fastest
bool is_run(PyObject* x, bool any_order, Run& run);

// Makes a new array in C order, and copies `data` into it unless that is null.
//   throws  PythonError, also if NumPy is missing
Ref make_array(DType t, const Dims& shape, const void* data = nullptr);
// Makes a new array in C order of these bytes, which it keeps unless they are few.
Ref make_array(DType t, const Dims& shape, std::vector<std::byte>&& data);
// Returns an array of these bytes, which it keeps, with a's type, shape and strides.
Ref array_keeping(ArrayRef a, std::vector<std::byte>&& data);
void* data_of(PyObject* array);
// Returns an ndarray over memory that `owner` keeps.
//   t  the type of its elements, as wide as a.dtype
Ref array_over(const ArrayRef& a, DType t, PyObject* owner, bool writeable = false);
// Returns whether x is an ndarray, not of a derived class, of one axis and of numbers or bools.
bool is_line_of_numbers(PyObject* x);
void copy_into(PyObject* out, PyObject* array);  // both have one type and shape

// Makes a scalar of NumPy, such as np.float64(...).
PyObject* make_scalar(DType t, uint64_t bits);

// Returns whether dtype= names a type with its highest byte first: ">f4", np.dtype(">f4").
bool is_big_endian(PyObject* dtype);
// Returns the type that dtype= names: "f4", np.float32, torch.float64, an ndarray's dtype, float.
//   keyword  the keyword's name
//   throws   bad_option
DType dtype_of_object(PyObject* dtype, const char* op, const char* keyword = "dtype");

// Returns the type with a name such as "f64".
//   throws  bad_option
DType dtype_named(const std::string& name);

// Makes Python's bool, int or float.
PyObject* make_python(DType t, uint64_t bits);

}  // namespace onefold::python::numpy
