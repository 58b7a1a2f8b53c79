// Conversions for the C functions: exceptions to codes, C structures to the library's types.
#pragma once

#include <memory>
#include <new>

#include "onefold/fold.hpp"
#include "onefold/onefold.h"

namespace onefold::capi {

// Keeps a message for onefold_message() and returns the code.
onefold_code fail(ErrorCode code, const char* message) noexcept;

// Runs `f` and turns any exception into a code.
template <class F>
onefold_code guarded(F&& f) noexcept {
  try {
    f();
    return ONEFOLD_OK;
  } catch (const Error& e) {
    return fail(e.code(), e.what());
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::out_of_memory, "memory ran out");
  } catch (const std::exception& e) {
    return fail(ErrorCode::internal, e.what());
  } catch (...) {
    return fail(ErrorCode::internal, "an unknown exception");
  }
}

// The functions below throw bad_option for meaningless values; `name` is how a message calls them.
template <class T>
T& needed(T* p, const char* name) {
  if (p == nullptr) throw Error(ErrorCode::bad_option, std::string(name) + " is a null pointer");
  return *p;
}
DType dtype_of_number(int32_t number, const char* name);
constexpr int32_t number_of(DType t) { return static_cast<int32_t>(t) + 1; }
Dims dims_of(const int64_t* list, int32_t rank, const char* name);
ArrayRef array_of(const onefold_array* array, const char* name);
OutputRef output_of(const onefold_output& output);
std::vector<OutputRef> outputs_of(const onefold_output* outs, size_t count);
// Returns the second array, if there is one.
inline std::unique_ptr<ArrayRef> second_of(const onefold_array* array) {
  return array == nullptr ? nullptr : std::make_unique<ArrayRef>(array_of(array, "y"));
}
Options options_of(const onefold_options* options);
// Calls f(arrays..., options) with one array or two.
template <class F>
auto of_arrays(const onefold_array* x, const onefold_array* y, const onefold_options* options,
               F f) {
  const ArrayRef first = array_of(x, "x");
  const Options how = options_of(options);
  const auto second = second_of(y);
  return second ? f(first, *second, how) : f(first, how);
}
onefold_value value_of(const Value& value);
// Converts a caller's value, and clears bits above its type's. If its status is bad, throws that.
Value value_given(const onefold_value& value, const char* name);

}  // namespace onefold::capi

// Answers, with their arrays described as C structures; see onefold/capi/fold.cpp.
struct onefold_answers {
  explicit onefold_answers(onefold::Answers&& from, bool by_keys = false);
  onefold_answers(const onefold_answers&) = delete;

  onefold::Answers answers;
  std::vector<onefold_array> arrays;  // one for each op
  std::vector<std::unique_ptr<int64_t[]>> shapes;
  bool by_keys;
  int64_t key_count = 0;
  onefold_array key_array = {};
};
