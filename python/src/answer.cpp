#include "answer.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "fold.hpp"
#include "numpy.hpp"

namespace onefold::python {
namespace {

uint64_t nan_bits(DType t) {
  const FloatFormat f = float_format(t);
  return (((uint64_t{1} << f.exponent_bits) - 1) << 1 | 1) << (f.mantissa_bits - 1);
}

// Under omit a slice with only NaN has no least element. Its answer is NaN, so that the other
// slices still have answers; but an index cannot be NaN.
bool is_nan_slice(std::string_view op, DType t, Status s, NanPolicy nan, bool any_elements) {
  if (s != Status::empty_input || nan != NanPolicy::omit || !is_floating(t)) return false;
  const auto entries = op_entries();
  return any_elements && std::none_of(entries.begin(), entries.end(), [&](const OpEntry& e) {
           return e.name == op && e.about->uses_index;
         });
}

[[noreturn]] void throw_status(Status s, DType t, const std::string& where) {
  Value v{.dtype = t, .status = s};
  visit(t, [&]<class T>() { static_cast<void>(v.as<T>(where.c_str())); });
  throw Error(ErrorCode::internal, where + ": a bad status was not thrown");
}

std::string index_of(Size i, const Dims& shape) {
  std::string text;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    const auto extent = static_cast<Size>(shape[d]);
    text = std::to_string(i % extent) + (text.empty() ? "" : ", ") + text;
    i /= extent;
  }
  return text.empty() ? text : "[" + text + "]";
}

PyObject* scalar_of(DType t, uint64_t bits, Source source) {
  return source == Source::numpy ? numpy::make_scalar(t, bits)
                                 : checked(numpy::make_python(t, bits));
}

}  // namespace

void apply_statuses(const char* op, DType t, const Dims& shape, std::byte* data,
                    std::span<const Status> status, NanPolicy nan, bool any_elements,
                    const bool* absent) {
  const unsigned bytes = bytes_of(t);
  for (Size i = 0; i < status.size(); ++i) {
    for (uint64_t eight; i + 8 <= status.size(); i += 8) {  // since nearly all statuses are ok
      std::memcpy(&eight, status.data() + i, 8);
      if (eight != 0) break;
    }
    if (i == status.size() || status[i] == Status::ok) continue;
    if (absent != nullptr && absent[i]) {
      std::memset(data + i * bytes, 0, bytes);
      continue;
    }
    if (!is_nan_slice(op, t, status[i], nan, any_elements)) {
      throw_status(status[i], t, op + index_of(i, shape));
    }
    const uint64_t bits = nan_bits(t);
    std::memcpy(data + i * bytes, &bits, bytes);
  }
}

PyObject* value_of(const char* op, const Value& v, Source source, NanPolicy nan,
                   bool any_elements) {
  if (v.status == Status::ok) return scalar_of(v.dtype, v.bits, source);
  if (is_nan_slice(op, v.dtype, v.status, nan, any_elements)) {
    return scalar_of(v.dtype, nan_bits(v.dtype), source);
  }
  throw_status(v.status, v.dtype, op);
}

Ref number_of(const char* op, const Value& value, NanPolicy nan, bool any_elements) {
  return Ref(value_of(op, value, Source::buffer, nan, any_elements));
}

Ref object_of(Answer a, Source source, NanPolicy nan, bool any_elements) {
  if (a.shape.rank() > 0) return array_of(std::move(a), source, nan, any_elements);
  return Ref(value_of(a.op.c_str(), a[0], source, nan, any_elements));
}

DType array_type(DType t, Source source) {
  return t == DType::bf16 && source == Source::view ? DType::u16 : t;
}

Ref array_of(Answer a, Source source, NanPolicy nan, bool any_elements) {
  Ref array = numpy::make_array(array_type(a.dtype, source), a.shape, std::move(a.data));
  apply_statuses(a.op.c_str(), a.dtype, a.shape,
                 static_cast<std::byte*>(numpy::data_of(array.get())), a.status, nan, any_elements);
  return array;
}

}  // namespace onefold::python
