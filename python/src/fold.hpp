// Folds what has been read and makes Python's objects of the answers.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "input.hpp"
#include "onefold/fold.hpp"
#include "onefold/op_facts.hpp"

namespace onefold::python {

struct OpEntry {
  const char* name;  // lives for ever, at one address
  const OpFacts* about;
};
std::span<const OpEntry> op_entries();

// Makes where= of a fold's options; `mask` keeps the memory while they are used.
//   false   it is neither an ndarray nor a buffer: to be converted first
//   throws  type_mismatch: it is not of bools
bool read_mask(const char* op, PyObject* where, Input& mask, Options& o);

// "mean,var" -> entries.
//   throws  unknown_op, bad_option, in the engine's words
std::vector<const OpEntry*> parse_ops(std::string_view ops);

// One object for each op: a scalar where all axes are folded, else an ndarray.
//   out     None or null: new arrays; an ndarray for one op, which is written and returned
//   absent  of answers along axes, as settle() has it
//   throws  the data's statuses, too; `out` is then as it was
std::vector<Ref> fold_arrays(std::span<const OpEntry* const> ops, const Input& x, const Input* y,
                             Options options, PyObject* out, const bool* absent = nullptr);

// All that a builtin of an op does.
//   name  of the builtin
//   nan   where it is not given: nansum and its like are sum under omit
PyObject* call_op(const OpEntry& op, const char* name, NanPolicy nan, PyObject* const* args,
                  Py_ssize_t nargs, PyObject* names);

// Tensors of this type, in calls without options, go to `fold(op, x)` at once; None from it: the
// long way.
// Whether two arrays have one type and shape; others are to be converted first.
bool are_alike(const Input& x, const Input& y);

void set_tensor_type(PyObject* type, PyObject* fold);

// The way through onefold._convert, for what is neither an ndarray nor a buffer.
PyObject* convert_and_call(const char* op, PyObject* const* args, Py_ssize_t nargs,
                           PyObject* names);

}  // namespace onefold::python
