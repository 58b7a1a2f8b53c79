// Selects handlers by type: `F` is a struct with `template <class T> static T of(T, ...)`.
#pragma once

#include "lab/ptx/decode.hpp"

namespace onefold::lab::ptx {

template <class F>
struct UnaryOf {
  template <class T>
  static void run(Thread& t, const Instruction& i) {
    put<T>(t, i.r[0], F::template of<T>(get<T>(t, i.r[1])));
  }
};
template <class F>
struct BinaryOf {
  template <class T>
  static void run(Thread& t, const Instruction& i) {
    put<T>(t, i.r[0], F::template of<T>(get<T>(t, i.r[1]), get<T>(t, i.r[2])));
  }
};
template <class F>
struct TernaryOf {
  template <class T>
  static void run(Thread& t, const Instruction& i) {
    put<T>(t, i.r[0], F::template of<T>(get<T>(t, i.r[1]), get<T>(t, i.r[2]), get<T>(t, i.r[3])));
  }
};

template <class F>
Handler by_int(Type t) {
  switch (t) {
    case Type::u8:
    case Type::b8:
      return &F::template run<uint8_t>;
    case Type::u16:
    case Type::b16:
      return &F::template run<uint16_t>;
    case Type::u32:
    case Type::b32:
      return &F::template run<uint32_t>;
    case Type::u64:
    case Type::b64:
      return &F::template run<uint64_t>;
    case Type::s8:
      return &F::template run<int8_t>;
    case Type::s16:
      return &F::template run<int16_t>;
    case Type::s32:
      return &F::template run<int32_t>;
    case Type::s64:
      return &F::template run<int64_t>;
    default:
      return nullptr;
  }
}

// Applies F to each half of a word.
template <class F, class T>
void halves(Thread& t, const Instruction& i) {
  const auto a = get<uint32_t>(t, i.r[1]), b = get<uint32_t>(t, i.r[2]);
  const auto half = [&](unsigned shift) {
    const T v = F::template of<T>(static_cast<T>(a >> shift), static_cast<T>(b >> shift));
    return uint32_t{static_cast<uint16_t>(v)} << shift;
  };
  put(t, i.r[0], half(0) | half(16));
}
template <class F>
Handler whole_or_halves(Type t) {
  if (t == Type::u16x2) return &halves<F, uint16_t>;
  return t == Type::s16x2 ? &halves<F, int16_t> : by_int<BinaryOf<F>>(t);
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
