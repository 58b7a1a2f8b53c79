// The C ABI: folds and their answers.
#include <cstring>
#include <utility>

#include "onefold/capi/convert.hpp"
#include "onefold/engine/as_double.hpp"
#include "onefold/fold.hpp"

using namespace onefold;
using namespace onefold::capi;

namespace {

std::string_view ops_of(const char* ops) { return &needed(ops, "ops"); }

Request request_of(const char* ops, const onefold_array* x, const onefold_options* options) {
  return {.ops = ops_of(ops), .x = array_of(x, "x"), .options = options_of(options)};
}
Request request_of(const char* ops, const onefold_array* x, const onefold_array* y,
                   const onefold_options* options) {
  Request request = request_of(ops, x, options);
  if (y != nullptr) request.y = array_of(y, "y");
  return request;
}

// Returns this library's windows, for a caller that was compiled with fewer or more members.
Windows windows_of(const onefold_windows& given) {
  onefold_windows w = ONEFOLD_WINDOWS;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
  const auto refuse = [](const std::string& what) { throw Error(ErrorCode::bad_option, what); };
  if (given.size < sizeof(w)) {
    refuse("windows.size is " + std::to_string(given.size) +
           "; initialise it with ONEFOLD_WINDOWS");
  }
  for (std::size_t i = sizeof(w); i < given.size; ++i) {
    if (bytes[i] != 0) {
      refuse("windows: a member is set that this library, onefold " ONEFOLD_VERSION
             ", does not know; leave it 0");
    }
  }
  std::memcpy(&w, &given, sizeof(w));
  Windows to{.width = w.width, .ahead = w.ahead, .step = w.step, .least = w.least};
  if (w.begin != nullptr) to.begin = array_of(w.begin, "begin");
  if (w.end != nullptr) to.end = array_of(w.end, "end");
  return to;
}

}  // namespace

onefold_answers::onefold_answers(Answers&& from, bool by) : answers(std::move(from)), by_keys(by) {
  for (const Answer& a : answers.list) {
    const auto rank = static_cast<std::size_t>(a.shape.rank());
    shapes.push_back(std::make_unique<int64_t[]>(std::max<std::size_t>(rank, 1)));
    std::copy(a.shape.begin(), a.shape.end(), shapes.back().get());
    arrays.push_back(
        {a.data.data(), number_of(a.dtype), a.shape.rank(), shapes.back().get(), nullptr});
  }
  key_count = static_cast<int64_t>(answers.key_count());
  key_array = {answers.keys.data(), number_of(answers.key_type), 1, &key_count, nullptr};
}

extern "C" {

onefold_code onefold_fold_into(const onefold_output* outs, size_t count, const char* ops,
                               const onefold_array* x, const onefold_array* y,
                               const onefold_options* options) {
  return guarded([&] { fold(request_of(ops, x, y, options), outputs_of(outs, count)); });
}

onefold_code onefold_fold_windows_into(const onefold_output* outs, size_t count, const char* ops,
                                       const onefold_array* x, const onefold_array* y,
                                       const onefold_windows* windows,
                                       const onefold_options* options) {
  return guarded([&] {
    Request request = request_of(ops, x, y, options);
    request.windows = windows_of(needed(windows, "windows"));
    fold(request, outputs_of(outs, count));
  });
}

onefold_code onefold_fold(const char* ops, const onefold_array* x, const onefold_array* y,
                          const onefold_options* options, onefold_answers** answers) {
  return guarded([&] {
    onefold_answers*& to = needed(answers, "answers");
    to = new onefold_answers(fold(request_of(ops, x, y, options)));
  });
}

onefold_code onefold_fold_segments(const char* ops, const onefold_array* x,
                                   const onefold_array* offsets, const onefold_options* options,
                                   onefold_answers** answers) {
  return guarded([&] {
    onefold_answers*& to = needed(answers, "answers");
    Request request = request_of(ops, x, options);
    request.segments = array_of(offsets, "offsets");
    to = new onefold_answers(fold(request));
  });
}

onefold_code onefold_fold_by(const char* ops, const onefold_array* keys, const onefold_array* x,
                             const onefold_options* options, onefold_answers** answers) {
  return guarded([&] {
    onefold_answers*& to = needed(answers, "answers");
    Request request = request_of(ops, x, options);
    request.keys = array_of(keys, "keys");
    to = new onefold_answers(fold(request), true);
  });
}

void onefold_answers_free(onefold_answers* a) { delete a; }
size_t onefold_answers_count(const onefold_answers* a) {
  return a == nullptr ? 0 : a->arrays.size();
}
const char* onefold_answers_op(const onefold_answers* a, size_t k) {
  return k < onefold_answers_count(a) ? a->answers.list[k].op.c_str() : nullptr;
}
const onefold_array* onefold_answers_array(const onefold_answers* a, size_t k) {
  return k < onefold_answers_count(a) ? &a->arrays[k] : nullptr;
}
const uint8_t* onefold_answers_status(const onefold_answers* a, size_t k) {
  return k < onefold_answers_count(a)
             ? reinterpret_cast<const uint8_t*>(a->answers.list[k].status.data())
             : nullptr;
}
const onefold_array* onefold_answers_keys(const onefold_answers* a) {
  return a != nullptr && a->by_keys ? &a->key_array : nullptr;
}

onefold_code onefold_value_f64(const onefold_value* value, double* out) {
  return guarded([&] {
    const Value v = value_given(needed(value, "value"), "the value");
    needed(out, "out") = visit(v.dtype, [&]<class T>() -> double {
      if constexpr (std::same_as<T, Bool8>) {
        return v.bits != 0 ? 1 : 0;
      } else {
        return as_double(v.as<T>());
      }
    });
  });
}

onefold_code onefold_value_i64(const onefold_value* value, int64_t* out) {
  return guarded([&] {
    const Value v = value_given(needed(value, "value"), "the value");
    needed(out, "out") = visit(v.dtype, [&]<class T>() -> int64_t {
      if constexpr (std::same_as<T, Bool8>) {
        return v.bits != 0 ? 1 : 0;
      } else if constexpr (std::integral<T>) {
        const T number = v.as<T>();
        if (!std::in_range<int64_t>(number)) {
          throw Error(ErrorCode::overflow,
                      "the value is " + std::to_string(number) +
                          ", which int64 cannot hold; read it with onefold_value_f64");
        }
        return static_cast<int64_t>(number);
      } else {
        throw Error(ErrorCode::type_mismatch,
                    std::string("the value is ") + name_of(v.dtype) + ", not an integer");
      }
    });
  });
}

}  // extern "C"
