// Makes Python's objects from the engine's answers.
#pragma once

#include <span>

#include "input.hpp"
#include "onefold/fold.hpp"

namespace onefold::python {

// Returns an ndarray or, without axes, the kind of number that `source` asks for.
//   any_elements  there were elements: then a NaN means that none of them was a number
Ref object_of(Answer answer, Source source, NanPolicy nan, bool any_elements);
// Returns one answer as Python's number.
Ref number_of(const char* op, const Value& value, NanPolicy nan, bool any_elements);
// Returns the answers as an ndarray, even if there is only one.
Ref array_of(Answer answer, Source source, NanPolicy nan, bool any_elements = true);
// Returns the element type of an ndarray of answers of type `t`. NumPy has no bfloat16 of its own,
// so answers of a View are its 16 bits.
DType array_type(DType t, Source source);

// Returns one answer as the kind of number that `source` asks for: a new reference.
PyObject* value_of(const char* op, const Value& v, Source source, NanPolicy nan, bool any_elements);

// Throws the first bad status of some answers, or sets its answer to NaN if the policy says so.
//   absent  answers whose status is ignored and becomes 0; null: no answer
void apply_statuses(const char* op, DType t, const Dims& shape, std::byte* data,
                    std::span<const Status> status, NanPolicy nan, bool any_elements,
                    const bool* absent = nullptr);

}  // namespace onefold::python
