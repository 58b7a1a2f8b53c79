// Folds arrays that were read, and makes Python's objects of the answers.
#pragma once

#include <atomic>
#include <span>
#include <string_view>
#include <vector>

#include "input.hpp"
#include "onefold/core/op_facts.hpp"
#include "onefold/fold.hpp"

namespace onefold::python {

struct OpEntry {
  const char* name;  // never freed, at one address
  const OpFacts* about;
};
std::span<const OpEntry> op_entries();

// Returns whether the op's function has weights=.
bool takes_weights(const OpEntry& op);

// Reads where= into a fold's options; `mask` must outlive their use.
//   false   it is neither an ndarray nor a buffer, so it must be converted first
//   throws  type_mismatch: its elements are not bools
bool read_mask(const char* op, PyObject* where, Input& mask, Options& o);

// Reads an array that may be absent; false if it must be converted first.
bool read_optional(const std::string& ops, PyObject* given, Input& in, std::optional<ArrayRef>& to);

// Finds the entries of "mean,var".
//   throws  unknown_op, bad_option, with the engine's messages
std::vector<const OpEntry*> parse_ops(std::string_view ops);

// Returns one object for each op: a scalar if all axes are folded, otherwise an ndarray.
//   out     None or null: new arrays; for a single op an ndarray, which is written and returned
//   absent  for answers along axes: see apply_statuses()
//   progress  a function of the bytes done and all bytes; null: none
//   throws  also for bad statuses; `out` is then unchanged
std::vector<Ref> fold_arrays(std::span<const OpEntry* const> ops, const Input& x, const Input* y,
                             Options options, PyObject* out, const bool* absent = nullptr,
                             PyObject* progress = nullptr);

// Does all the work of an op's builtin.
//   name  of the builtin
//   nan   the policy if none is given: nansum and similar are sum under omit
PyObject* call_op(const OpEntry& op, const char* name, NanPolicy nan, PyObject* const* args,
                  Py_ssize_t nargs, PyObject* names);

// Returns whether two arrays have one type and shape; if not, they must be converted first.
bool are_alike(const Input& x, const Input& y);

// Calls with a tensor of this type first go to `fold(op, x)`, those with more arguments to
// `call(op, arguments, names of the last ones)`; if it returns None, the general path follows.
void set_tensor_type(PyObject* type, PyObject* fold, PyObject* call);

// The type that onefold.expr() makes: calls with such a first argument have its arrays as keywords,
// and onefold.reduce.convert reads them.
inline std::atomic<PyTypeObject*> expression_type = nullptr;

// Calls onefold.reduce.convert, for objects that are neither an ndarray nor a buffer.
PyObject* convert_and_call(const char* op, PyObject* const* args, Py_ssize_t nargs,
                           PyObject* names);

// Called while an error is handled: if the first argument may hold objects or integers of any
// length, which onefold.operands.rational_numbers folds, does what convert_and_call does; else sets
// the error.
PyObject* call_after_error(const char* op, PyObject* const* args, Py_ssize_t nargs,
                           PyObject* names) noexcept;

}  // namespace onefold::python
