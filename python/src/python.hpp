// Python's C interface for the bindings: owned references, errors, the GIL.
#pragma once

#include <Python.h>

#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace onefold::python {

// A reference that this object owns, or none.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : p_(owned) {}
  static Ref borrow(PyObject* p) { return Ref(Py_XNewRef(p)); }
  Ref(Ref&& other) noexcept : p_(std::exchange(other.p_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(p_, other.p_);
    return *this;
  }
  ~Ref() { Py_XDECREF(p_); }
  PyObject* get() const { return p_; }
  PyObject* release() { return std::exchange(p_, nullptr); }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  PyObject* p_ = nullptr;
};

// Thrown after Python's error indicator was set.
struct PythonError {};

inline PyObject* checked(PyObject* p) {
  if (p == nullptr) throw PythonError();
  return p;
}
inline void checked(int status) {
  if (status < 0) throw PythonError();
}

// Turns the exception that is being handled into Python's: an onefold::Error into its class in
// onefold.errors, std::bad_alloc into OutOfMemoryError. Called in a catch block, with the GIL.
void set_error() noexcept;
// Names the options of a message as Python does: `--header yes` is header="yes".
std::string with_keywords(std::string_view text);

// Releases the GIL while arrays are folded, so that other threads can run.
class WithoutGil {
 public:
  explicit WithoutGil(bool release = true) : state_(release ? PyEval_SaveThread() : nullptr) {}
  ~WithoutGil() {
    if (state_ != nullptr) PyEval_RestoreThread(state_);
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

// From this size on the GIL is released, which costs 70 to 115 ns.
inline constexpr std::size_t long_fold_bytes = std::size_t{64} << 10;

// Converts a str to UTF-8, and escapes what UTF-8 cannot express.
//   throws  PythonError if it is no str
std::string text_of(PyObject* str);
std::string name_of_type(PyObject* x);                      // "builtins.list"
PyObject* attribute(const char* module, const char* name);  // new reference; throws PythonError

}  // namespace onefold::python
