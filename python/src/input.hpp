// What is folded, as the engine sees it: an ndarray, an object with the buffer protocol, or a copy
// of a sequence's numbers, with all that keeps its memory in place. Everything else is converted by
// onefold._convert before.
#pragma once

#include <vector>

#include "onefold/fold.hpp"
#include "python.hpp"

namespace onefold::python {

// Who gave the data, and so what the answers are.
enum class Source : uint8_t { numpy, buffer };

class Input {
 public:
  Input() = default;
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // false: `x` is of another kind, which the caller converts.
  //   throws  unsupported: elements that are no numbers, of more than 64 bits, masked
  bool read(PyObject* x, const char* op);

  ArrayRef ref;
  Source source = Source::numpy;
  // A run of neighbours: for ops that do not ask where an element stands any order will do.
  bool c_order = false, any_order = false;

  Size size() const;
  Size bytes() const { return size() * bytes_of(ref.dtype); }
  // The same elements as one dimension: the engine's shortest way.
  ArrayRef flat() const;

 private:
  bool read_buffer(PyObject* x, const char* op);
  bool read_view(PyObject* x);

  Ref owner_;
  std::vector<uint64_t> sequence_;  // a list's numbers
  Py_buffer buffer_ = {};
  bool has_buffer_ = false;
};

}  // namespace onefold::python
