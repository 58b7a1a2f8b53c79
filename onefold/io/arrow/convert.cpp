#include "onefold/io/arrow/convert.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace onefold::io::arrow {
namespace {

double value_of(float16 x) {
  const int exponent = x.bits >> 10 & 31, fraction = x.bits & 1023;
  const double sign = x.bits >> 15 != 0 ? -1 : 1;
  if (exponent == 31) {
    return sign * (fraction == 0 ? std::numeric_limits<double>::infinity()
                                 : std::numeric_limits<double>::quiet_NaN());
  }
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
}

// Returns whether f64 holds the integer.
template <class I>
bool is_exact(I value) {
  const auto real = static_cast<double>(value);
  const double end = std::is_signed_v<I> ? 9223372036854775808.0 : 18446744073709551616.0;
  return real != end && static_cast<I>(real) == value;
}

template <class To, class From>
std::optional<Misfit> loop(const std::byte* x, const unsigned char* present, Size n,
                           const Conversion& how, std::byte* out) {
  for (Size i = 0; i < n; ++i) {
    From value;
    std::memcpy(&value, x + i * sizeof value, sizeof value);
    To to{};
    if (present != nullptr && present[i] == 0) {
      if constexpr (std::is_floating_point_v<To>) {
        to = std::numeric_limits<To>::quiet_NaN();
      } else if (!how.leaves_out) {
        return Misfit{
            i, std::string("the value is missing, but ") + name_of(dtype_of<To>) + " has no NaN"};
      }
    } else if constexpr (std::is_same_v<From, float16>) {
      if constexpr (std::is_floating_point_v<To>) to = static_cast<To>(value_of(value));
    } else if constexpr (std::is_floating_point_v<From>) {
      if constexpr (std::is_floating_point_v<To>) to = static_cast<To>(value);
    } else if constexpr (std::is_floating_point_v<To>) {
      if (sizeof value == 8 && how.exact && !is_exact(value)) {
        return Misfit{i, "f64 cannot hold " + std::to_string(value)};
      }
      to = static_cast<To>(value);
    } else {
      if (!std::in_range<To>(value)) {
        return Misfit{i,
                      std::string(name_of(dtype_of<To>)) + " cannot hold " + std::to_string(value)};
      }
      to = static_cast<To>(value);
    }
    std::memcpy(out + i * sizeof to, &to, sizeof to);
  }
  return {};
}

template <class To>
std::optional<Misfit> to_type(DType from, const std::byte* x, const unsigned char* present, Size n,
                              const Conversion& how, std::byte* out) {
  switch (from) {
    case DType::boolean:
    case DType::u8:
      return loop<To, uint8_t>(x, present, n, how, out);
    case DType::u16:
      return loop<To, uint16_t>(x, present, n, how, out);
    case DType::u32:
      return loop<To, uint32_t>(x, present, n, how, out);
    case DType::u64:
      return loop<To, uint64_t>(x, present, n, how, out);
    case DType::i8:
      return loop<To, int8_t>(x, present, n, how, out);
    case DType::i16:
      return loop<To, int16_t>(x, present, n, how, out);
    case DType::i32:
      return loop<To, int32_t>(x, present, n, how, out);
    case DType::i64:
      return loop<To, int64_t>(x, present, n, how, out);
    case DType::f16:
      return loop<To, float16>(x, present, n, how, out);
    case DType::f32:
      return loop<To, float>(x, present, n, how, out);
    default:
      return loop<To, double>(x, present, n, how, out);
  }
}

}  // namespace

bool converts(DType from, DType to) {
  if (to == DType::f64 || to == DType::f32) return true;
  return is_integer(to) && !is_floating(from);
}

std::optional<Misfit> convert(DType from, const std::byte* x, const unsigned char* present, Size n,
                              DType to, const Conversion& how, std::byte* out) {
  switch (to) {
    case DType::u8:
      return to_type<uint8_t>(from, x, present, n, how, out);
    case DType::u16:
      return to_type<uint16_t>(from, x, present, n, how, out);
    case DType::u32:
      return to_type<uint32_t>(from, x, present, n, how, out);
    case DType::u64:
      return to_type<uint64_t>(from, x, present, n, how, out);
    case DType::i8:
      return to_type<int8_t>(from, x, present, n, how, out);
    case DType::i16:
      return to_type<int16_t>(from, x, present, n, how, out);
    case DType::i32:
      return to_type<int32_t>(from, x, present, n, how, out);
    case DType::i64:
      return to_type<int64_t>(from, x, present, n, how, out);
    case DType::f32:
      return to_type<float>(from, x, present, n, how, out);
    default:
      return to_type<double>(from, x, present, n, how, out);
  }
}

}  // namespace onefold::io::arrow
