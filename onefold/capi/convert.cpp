#include "onefold/capi/convert.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace onefold::capi {
namespace {

// A buffer of fixed size, so that storing a message cannot fail.
thread_local char last_message[1024] = "";

static_assert(number_of(DType::boolean) == ONEFOLD_BOOL && number_of(DType::i64) == ONEFOLD_I64 &&
              number_of(DType::u8) == ONEFOLD_U8 && number_of(DType::f16) == ONEFOLD_F16 &&
              number_of(DType::f64) == ONEFOLD_F64 && dtype_count == ONEFOLD_F64);
static_assert(static_cast<int>(Status::empty_input) == ONEFOLD_STATUS_EMPTY_INPUT &&
              static_cast<int>(Status::nan_found) == ONEFOLD_STATUS_NAN_FOUND &&
              static_cast<int>(Status::overflow) == ONEFOLD_STATUS_OVERFLOW &&
              static_cast<int>(Status::too_few) == ONEFOLD_STATUS_TOO_FEW);
static_assert(static_cast<int>(NanPolicy::omit) == ONEFOLD_OMIT &&
              static_cast<int>(NanPolicy::raise) == ONEFOLD_RAISE);
static_assert(exit_status(ErrorCode::bad_option) == ONEFOLD_BAD_OPTION &&
              exit_status(ErrorCode::unknown_op) == ONEFOLD_UNKNOWN_OP &&
              exit_status(ErrorCode::bad_axis) == ONEFOLD_BAD_AXIS &&
              exit_status(ErrorCode::shape_mismatch) == ONEFOLD_SHAPE_MISMATCH &&
              exit_status(ErrorCode::type_mismatch) == ONEFOLD_TYPE_MISMATCH &&
              exit_status(ErrorCode::no_backend) == ONEFOLD_NO_BACKEND &&
              exit_status(ErrorCode::overlap) == ONEFOLD_OVERLAP &&
              exit_status(ErrorCode::bad_state) == ONEFOLD_BAD_STATE &&
              exit_status(ErrorCode::misaligned) == ONEFOLD_MISALIGNED &&
              exit_status(ErrorCode::overflow) == ONEFOLD_OVERFLOW &&
              exit_status(ErrorCode::nan_found) == ONEFOLD_NAN_FOUND &&
              exit_status(ErrorCode::empty_input) == ONEFOLD_EMPTY_INPUT &&
              exit_status(ErrorCode::out_of_range) == ONEFOLD_OUT_OF_RANGE &&
              exit_status(ErrorCode::out_of_memory) == ONEFOLD_OUT_OF_MEMORY &&
              exit_status(ErrorCode::device_failed) == ONEFOLD_DEVICE_FAILED &&
              exit_status(ErrorCode::internal) == ONEFOLD_INTERNAL);

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::bad_option, what); }

Device device_of(const char* text) {
  if (text == nullptr) return {};
  const std::string name = text;
  if (name == "cpu") return cpu;
  if (name == "cuda") return cuda_device(0);
  char* end = nullptr;
  if (name.starts_with("cuda:") && name.size() > 5 && name[5] >= '0' && name[5] <= '9') {
    const long index = std::strtol(text + 5, &end, 10);
    if (*end == 0 && index < 1024) return cuda_device(static_cast<int>(index));
  }
  refuse("options.device: \"" + name + "\" is not one of cpu, cuda, cuda:N");
}

// Returns this library's options, for a caller that was compiled with fewer or more of them.
onefold_options same_of(const onefold_options& given) {
  onefold_options o = ONEFOLD_OPTIONS;
  if (given.size < offsetof(onefold_options, axis_count)) {
    refuse("options.size is " + std::to_string(given.size) +
           "; initialise it with ONEFOLD_OPTIONS");
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
  for (std::size_t i = sizeof(o); i < given.size; ++i) {
    if (bytes[i] != 0)
      refuse("options: an option is set that this library, onefold " ONEFOLD_VERSION
             ", does not know; leave it 0");
  }
  std::memcpy(&o, bytes, std::min(sizeof(o), given.size));
  return o;
}

}  // namespace

onefold_code fail(ErrorCode code, const char* message) noexcept {
  // The library's messages say `.first`, the program's --first, and C's options.first.
  char* to = last_message;
  const char* const end = last_message + sizeof(last_message) - 1;
  const auto append = [&](std::string_view text) {
    const std::size_t n = std::min(text.size(), static_cast<std::size_t>(end - to));
    to = std::copy_n(text.data(), n, to);
  };
  for (const char* p = message; *p != 0; ++p) {
    const bool begins = p == message || p[-1] == ' ' || p[-1] == '(';
    if (std::strncmp(p, ", --first", 9) == 0) p += 9;
    if (begins && *p == '.' && p[1] >= 'a' && p[1] <= 'z') append("options");
    append({p, 1});
  }
  *to = 0;
  return static_cast<onefold_code>(exit_status(code));
}

DType dtype_of_number(int32_t number, const char* name) {
  if (number < 1 || number > dtype_count) {
    refuse(std::string(name) + ": " + std::to_string(number) + " is not a value of onefold_dtype");
  }
  return static_cast<DType>(number - 1);
}

Dims dims_of(const int64_t* list, int32_t rank, const char* name) {
  if (rank < 0 || rank > max_rank) {
    refuse(std::string(name) + ": " + std::to_string(rank) +
           " dimensions were given; the number must be 0 to 16");
  }
  if (rank > 0) needed(list, name);
  return Dims(std::span(list, static_cast<std::size_t>(rank)));
}

ArrayRef array_of(const onefold_array* array, const char* name) {
  const onefold_array& a = needed(array, name);
  const DType dtype = dtype_of_number(a.dtype, name);
  const Dims shape = dims_of(a.shape, a.rank, name);
  return a.strides == nullptr ? ArrayRef(a.data, dtype, shape)
                              : ArrayRef(a.data, dtype, shape, dims_of(a.strides, a.rank, name));
}

Options options_of(const onefold_options* options) {
  Options to;
  if (options == nullptr) return to;
  const onefold_options from = same_of(*options);
  if (from.axes != nullptr) {
    if (from.axis_count < 0)
      refuse("options.axis_count is " + std::to_string(from.axis_count) + "; it must be 0 or more");
    to.axes = Axes(std::span(from.axes, static_cast<std::size_t>(from.axis_count)));
  } else if (from.axis_count != 0) {
    refuse("options.axis_count is " + std::to_string(from.axis_count) +
           ", but options.axes is a null pointer; point it to the axes");
  }
  to.keepdims = from.keepdims != 0;
  if (from.result != 0) to.result = dtype_of_number(from.result, "options.result");
  if (from.nan < ONEFOLD_PROPAGATE || from.nan > ONEFOLD_RAISE) {
    refuse("options.nan: " + std::to_string(from.nan) + " is not a value of onefold_nan");
  }
  to.nan = static_cast<NanPolicy>(from.nan);
  if (from.ddof != nullptr) {
    to.ddof = Correction::parse(from.ddof, from.ddof + std::strlen(from.ddof));
  }
  if (from.where != nullptr) to.where = Mask(array_of(from.where, "options.where"));
  if (from.weights != nullptr) to.weights = array_of(from.weights, "options.weights");
  if (from.fweights != nullptr) to.fweights = array_of(from.fweights, "options.fweights");
  if (from.initial != nullptr) {
    const Value first = value_given(*from.initial, "options.initial");
    to.initial = Scalar(first.dtype, first.bits);
  }
  to.empty_nan = from.empty_nan != 0;
  if (from.threads < 0)
    refuse("options.threads is " + std::to_string(from.threads) + "; it must be 0 or more");
  to.threads = from.threads;
  to.first = from.first;
  to.device = device_of(from.device);
  to.stream = from.stream;
  return to;
}

OutputRef output_of(const onefold_output& o) {
  return {o.data, dtype_of_number(o.dtype, "outs"), dims_of(o.shape, o.rank, "outs"),
          o.strides == nullptr ? Dims() : dims_of(o.strides, o.rank, "outs"),
          reinterpret_cast<Status*>(o.status)};
}

std::vector<OutputRef> outputs_of(const onefold_output* outs, size_t count) {
  if (count > 0) needed(outs, "outs");
  std::vector<OutputRef> places;
  for (const onefold_output& o : std::span(outs, count)) places.push_back(output_of(o));
  return places;
}

Value value_given(const onefold_value& v, const char* name) {
  Value value{dtype_of_number(v.dtype, name), static_cast<Status>(v.status), v.bits};
  if (v.status < 0 || v.status > ONEFOLD_STATUS_EMPTY_INPUT) {
    refuse(std::string(name) + ": its status is not a value of onefold_status");
  }
  visit(value.dtype, [&]<class T>() {
    using Bits = std::conditional_t<std::same_as<T, Bool8>, uint8_t, bits_of<T>>;
    value.bits = static_cast<Bits>(v.bits);
    (void)value.as<T>(name);
  });
  if (value.dtype == DType::boolean) value.bits = value.bits != 0;
  return value;
}

onefold_value value_of(const Value& value) {
  return {number_of(value.dtype), static_cast<int32_t>(value.status), value.bits};
}

}  // namespace onefold::capi

extern "C" {

const char* onefold_version(void) { return ONEFOLD_VERSION; }
const char* onefold_message(void) { return onefold::capi::last_message; }

const char* onefold_code_name(int code) {
  using onefold::ErrorCode;
  for (int k = 0; k <= static_cast<int>(ErrorCode::internal); ++k) {
    const auto each = static_cast<ErrorCode>(k);
    if (onefold::exit_status(each) == code) return onefold::name_of(each);
  }
  return "?";
}

}  // extern "C"
