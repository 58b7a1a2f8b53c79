// Arrays that are neither ndarrays nor buffers: DLPack tensors, and memory named by its address.
#pragma once

#include <functional>

#include "onefold/fold.hpp"
#include "python.hpp"

namespace nanobind {
class module_;
}

namespace onefold::python {

// Keeps the producer's memory until it is gone; destroyed with the GIL held.
struct View {
  ArrayRef ref;
  std::function<void()> release;

  View() = default;
  View(View&& other) noexcept : ref(other.ref), release(std::move(other.release)) {
    other.release = nullptr;
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  ~View() {
    if (release) release();
  }
};

// Takes what a capsule of __dlpack__ holds, of version 1 or without one, and marks it as used.
//   throws  unsupported: of another version, another device, elements that are no numbers
View view_of_dlpack(PyObject* capsule);

// What a View in Python refers to; null: `x` is none.
const ArrayRef* array_of_view(PyObject* x);

void add_views(nanobind::module_& m);

}  // namespace onefold::python
