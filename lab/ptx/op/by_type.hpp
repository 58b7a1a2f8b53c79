// Selects handlers by type. An operation is a function of values, such as
// `[](auto a, auto b) { return a & b; }`, whose result is converted to their type.
#pragma once

#include "lab/ptx/decode.hpp"

namespace onefold::lab::ptx {

template <auto f>
struct UnaryOf {
  template <class T>
  static void run(Thread& t, const Instruction& i) {
    put<T>(t, i.r[0], static_cast<T>(f(get<T>(t, i.r[1]))));
  }
};
template <auto f>
struct BinaryOf {
  template <class T>
  static void run(Thread& t, const Instruction& i) {
    put<T>(t, i.r[0], static_cast<T>(f(get<T>(t, i.r[1]), get<T>(t, i.r[2]))));
  }
};
template <auto f>
struct TernaryOf {
  template <class T>
  static void run(Thread& t, const Instruction& i) {
    put<T>(t, i.r[0], static_cast<T>(f(get<T>(t, i.r[1]), get<T>(t, i.r[2]), get<T>(t, i.r[3]))));
  }
};

// Returns f<T>() for an integer's type; what R begins as for other types.
template <class R, class F>
R of_integer(Type t, F f) {
  switch (t) {
    case Type::u8:
    case Type::b8:
      return f.template operator()<uint8_t>();
    case Type::u16:
    case Type::b16:
      return f.template operator()<uint16_t>();
    case Type::u32:
    case Type::b32:
      return f.template operator()<uint32_t>();
    case Type::u64:
    case Type::b64:
      return f.template operator()<uint64_t>();
    case Type::s8:
      return f.template operator()<int8_t>();
    case Type::s16:
      return f.template operator()<int16_t>();
    case Type::s32:
      return f.template operator()<int32_t>();
    case Type::s64:
      return f.template operator()<int64_t>();
    default:
      return R{};
  }
}
template <class F>
Handler by_int(Type t) {
  return of_integer<Handler>(t, []<class T>() -> Handler { return &F::template run<T>; });
}

// What integers and atomics have in common.
inline constexpr auto bit_and = [](auto a, auto b) { return a & b; };
inline constexpr auto bit_or = [](auto a, auto b) { return a | b; };
inline constexpr auto bit_xor = [](auto a, auto b) { return a ^ b; };
inline constexpr auto least = [](auto a, auto b) { return b < a ? b : a; };
inline constexpr auto greatest = [](auto a, auto b) { return a < b ? b : a; };
inline constexpr auto plus = [](auto a, auto b) {
  if constexpr (std::is_floating_point_v<decltype(a)>) {
    return a + b;
  } else {
    return uint64_t(a) + uint64_t(b);
  }
};

// Applies f to each half of a word.
template <auto f, class T>
void halves(Thread& t, const Instruction& i) {
  const auto a = get<uint32_t>(t, i.r[1]), b = get<uint32_t>(t, i.r[2]);
  const auto half = [&](unsigned shift) {
    const T v = static_cast<T>(f(static_cast<T>(a >> shift), static_cast<T>(b >> shift)));
    return uint32_t{static_cast<uint16_t>(v)} << shift;
  };
  put(t, i.r[0], half(0) | half(16));
}
template <auto f>
Handler whole_or_halves(Type t) {
  if (t == Type::u16x2) return &halves<f, uint16_t>;
  return t == Type::s16x2 ? &halves<f, int16_t> : by_int<BinaryOf<f>>(t);
}

// Selects by size only, as unsigned; also for floats and predicates.
template <class F>
Handler by_bits(Type t) {
  switch (bytes_of(t)) {
    case 1:
      return &F::template run<uint8_t>;
    case 2:
      return &F::template run<uint16_t>;
    case 4:
      return &F::template run<uint32_t>;
    case 8:
      return &F::template run<uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace onefold::lab::ptx
