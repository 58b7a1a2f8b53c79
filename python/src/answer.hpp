// Python's objects of what the engine has answered.
#pragma once

#include <span>

#include "input.hpp"
#include "onefold/fold.hpp"

namespace onefold::python {

// An ndarray, or where there are no axes the kind of number that `source` asks for.
//   any_elements  that something was there to fold: a NaN then says that none was a number
Ref object_of(const Answer& answer, Source source, NanPolicy nan, bool any_elements);
// One answer as Python's number.
Ref number_of(const char* op, const Value& value, NanPolicy nan, bool any_elements);
// The answers as an ndarray in any case.
Ref array_of(const Answer& answer, NanPolicy nan, bool any_elements = true);

// One answer as the kind of number that `source` asks for: a new reference.
PyObject* value_of(const char* op, const Value& v, Source source, NanPolicy nan, bool any_elements);

// Throws the first bad status of an array of answers, or makes NaN of it where that is the answer.
//   absent  for each answer whether its status does not matter: it becomes 0; null: all do
void settle(const char* op, DType t, const Dims& shape, std::byte* data,
            std::span<const Status> status, NanPolicy nan, bool any_elements,
            const bool* absent = nullptr);

}  // namespace onefold::python
