// Numbers of Python, lists and tuples of them, nested too: each exactly what it was.
#pragma once

#include <optional>
#include <vector>

#include "onefold/fold.hpp"
#include "python.hpp"

namespace nanobind {
class module_;
}

namespace onefold::python {

// bool where all are bools, int64 of integers or uint64 where one is beyond it, else float64.
struct Sequence {
  DType dtype = DType::f64;
  Dims shape;
  std::vector<uint64_t> words;  // the elements' bytes, in C order
};

// nullopt: `x` is none, or holds something else than bool, int and float themselves.
//   throws  unsupported: rows of several lengths, integers that 64 bits or float64 do not hold
std::optional<Sequence> read_sequence(PyObject* x, const char* op);

void add_sequences(nanobind::module_& m);

}  // namespace onefold::python
