// What is folded, as the engine sees it: an ndarray, an object with the buffer protocol, or a copy
// of a sequence's numbers, with everything that keeps the memory alive. onefold.reduce.convert
// converts all other objects before.
#pragma once

#include <vector>

#include "onefold/fold.hpp"
#include "python.hpp"

namespace onefold::python {

// Where the data came from, which decides the answer's kind. A View is a tensor of another library,
// which onefold.operands.wrap makes of its answers.
enum class Source : uint8_t { numpy, buffer, view };

class Input {
 public:
  Input() = default;
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // Returns false if `x` is of another kind, which the caller converts.
  //   throws  unsupported: elements that are no numbers, have more than 64 bits, or are masked
  bool read(PyObject* x, const char* op);

  ArrayRef ref;
  Source source = Source::numpy;
  // True if elements are contiguous, in C order or in any order (for ops without an index).
  bool c_order = false, any_order = false;

  Size size() const;
  Size bytes() const { return size() * bytes_of(ref.dtype); }
  // Returns the same elements as one axis, for which the engine is quickest.
  ArrayRef flat() const;

 private:
  bool read_buffer(PyObject* x, const char* op);
  bool read_view(PyObject* x);

  Ref owner_;
  std::vector<uint64_t> sequence_;  // the numbers of a list
  Py_buffer buffer_ = {};
  bool has_buffer_ = false;
};

}  // namespace onefold::python
