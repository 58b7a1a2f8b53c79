// Python's numbers, and lists and tuples of them, also nested; each number is kept exactly.
#pragma once

#include <optional>
#include <vector>

#include "onefold/fold.hpp"
#include "python.hpp"

namespace nanobind {
class module_;
}

namespace onefold::python {

// The type is bool if all are bools, int64 for integers (uint64 if one needs it), else float64.
struct Sequence {
  DType dtype = DType::f64;
  Dims shape;
  std::vector<uint64_t> words;  // the elements' bytes, in C order
};

// nullopt: `x` is no sequence, or has elements whose type is not exactly bool, int or float.
//   throws  unsupported: rows of different lengths, integers that neither 64 bits nor float64 hold
std::optional<Sequence> read_sequence(PyObject* x, const char* op);

void add_sequences(nanobind::module_& m);

}  // namespace onefold::python
