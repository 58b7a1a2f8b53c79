// Arithmetic of integers: add, mul, div, min, ... Results wrap around.
#include <algorithm>
#include <bit>
#include <limits>

#include "lab/ptx/decode.hpp"
#include "lab/ptx/op/by_type.hpp"
#include "lab/ptx/running.hpp"

namespace onefold::lab::ptx {
namespace {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 WideUnsigned;

template <class T>
constexpr unsigned width = sizeof(T) * 8;

template <class T>
T saturated(Wide v) {
  const Wide low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return static_cast<T>(v < low ? low : v > high ? high : v);
}

constexpr auto plus_saturated = []<class T>(T a, T b) { return saturated<T>(Wide(a) + b); };
constexpr auto minus = [](auto a, auto b) { return uint64_t(a) - uint64_t(b); };
constexpr auto minus_saturated = []<class T>(T a, T b) { return saturated<T>(Wide(a) - b); };
constexpr auto times_low = [](auto a, auto b) { return uint64_t(a) * uint64_t(b); };
constexpr auto times_high = []<class T>(T a, T b) {
  return (std::is_signed_v<T> ? Wide(a) * b : Wide(WideUnsigned(a) * WideUnsigned(b))) >> width<T>;
};
constexpr auto times_24 = []<class T>(T a, T b) {
  const auto cut = [](T v) { return Wide(T(uint32_t(v) << 8) / (T(1) << 8)); };
  return std::is_signed_v<T>
             ? Wide(int32_t(uint32_t(a) << 8) >> 8) * (int32_t(uint32_t(b) << 8) >> 8)
             : cut(a) * cut(b);
};
constexpr auto times_24_high = [](auto a, auto b) { return times_24(a, b) >> 16; };
// Division by zero gives what a GPU gives: all ones, and the dividend as remainder.
constexpr auto quotient = []<class T>(T a, T b) {
  if (b == 0) return static_cast<T>(~uint64_t{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(-uint64_t(a));
  }
  return static_cast<T>(a / b);
};
constexpr auto remainder = []<class T>(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return T(0);
  }
  return static_cast<T>(a % b);
};
constexpr auto negative = [](auto a) { return -uint64_t(a); };
constexpr auto magnitude = []<class T>(T a) { return a < 0 ? static_cast<T>(negative(a)) : a; };
template <auto f>
constexpr auto not_negative =
    []<class T>(T a, T b) { return greatest(static_cast<T>(f(a, b)), T(0)); };

Handler add(Decoding& d) {
  if (d.take("cc")) return nullptr;
  const bool sat = d.take("sat");
  const Type t = d.type();
  if (is_float(t)) return nullptr;
  d.slots({t, t, t});
  return sat ? whole_or_halves<plus_saturated>(t) : whole_or_halves<plus>(t);
}
Handler sub(Decoding& d) {
  const bool sat = d.take("sat");
  const Type t = d.type();
  if (is_float(t)) return nullptr;
  d.slots({t, t, t});
  return sat ? by_int<BinaryOf<minus_saturated>>(t) : by_int<BinaryOf<minus>>(t);
}

template <class T>
struct MulWide {
  using W =
      std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
                         std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
  static void run(Thread& t, const Instruction& i) {
    put(t, i.r[0], static_cast<W>(W(get<T>(t, i.r[1])) * W(get<T>(t, i.r[2]))));
  }
};
template <class T>
struct MadWide {
  using W = typename MulWide<T>::W;
  static void run(Thread& t, const Instruction& i) {
    const auto product = static_cast<uint64_t>(W(get<T>(t, i.r[1])) * W(get<T>(t, i.r[2])));
    put(t, i.r[0], static_cast<W>(product + static_cast<uint64_t>(get<W>(t, i.r[3]))));
  }
};
template <template <class> class F>
Handler wide(Type t) {
  return of_integer<Handler>(t, []<class T>() -> Handler {
    if constexpr (sizeof(T) == 2 || sizeof(T) == 4) return &F<T>::run;
    return nullptr;
  });
}

Handler mul(Decoding& d) {
  const auto part = d.take_any({"lo", "hi", "wide"});
  const Type t = d.type();
  if (is_float(t) || part.empty()) return nullptr;
  d.slots({t, t, t});
  if (part == "wide") return wide<MulWide>(t);
  return part == "lo" ? by_int<BinaryOf<times_low>>(t) : by_int<BinaryOf<times_high>>(t);
}

template <auto times, auto add = plus>
constexpr auto times_plus =
    []<class T>(T a, T b, T c) { return add(static_cast<T>(times(a, b)), c); };
Handler mad(Decoding& d) {
  const auto part = d.take_any({"lo", "hi", "wide"});
  const bool sat = d.take("sat");
  const Type t = d.type();
  if (is_float(t) || part.empty() || d.next() == "cc") return nullptr;
  d.slots({t, t, t, t});
  if (part == "wide") return wide<MadWide>(t);
  if (sat)
    return part == "hi" ? by_int<TernaryOf<times_plus<times_high, plus_saturated>>>(t) : nullptr;
  return part == "lo" ? by_int<TernaryOf<times_plus<times_low>>>(t)
                      : by_int<TernaryOf<times_plus<times_high>>>(t);
}
Handler mul24(Decoding& d) {
  const auto part = d.take_any({"lo", "hi"});
  const Type t = d.type();
  if (bytes_of(t) != 4) return nullptr;
  d.slots({t, t, t});
  return part == "hi" ? by_int<BinaryOf<times_24_high>>(t) : by_int<BinaryOf<times_24>>(t);
}
Handler mad24(Decoding& d) {
  const auto part = d.take_any({"lo", "hi"});
  const Type t = d.type();
  if (bytes_of(t) != 4) return nullptr;
  d.slots({t, t, t, t});
  return part == "hi" ? by_int<TernaryOf<times_plus<times_24_high>>>(t)
                      : by_int<TernaryOf<times_plus<times_24>>>(t);
}

// An optimiser may divide before it knows whether the result is wanted; code as written does not.
template <auto f>
struct Dividing {
  template <class T>
  static void run(Thread& t, const Instruction& i) {
    if (t.running->as_written && get<T>(t, i.r[2]) == 0) t.running->fail(t, i, divides_by_zero);
    BinaryOf<f>::template run<T>(t, i);
  }
};
template <auto f, template <auto> class Of>
Handler binary(Decoding& d) {
  const Type t = d.type();
  if (is_float(t)) return nullptr;
  d.slots({t, t, t});
  return by_int<Of<f>>(t);
}
template <auto f>
Handler extreme(Decoding& d) {
  const bool relu = d.take("relu");
  const Type t = d.type();
  if (is_float(t)) return nullptr;
  d.slots({t, t, t});
  return relu ? whole_or_halves<not_negative<f>>(t) : whole_or_halves<f>(t);
}
template <auto f>
Handler unary(Decoding& d) {
  const Type t = d.type();
  if (is_float(t)) return nullptr;
  d.slots({t, t});
  return by_int<UnaryOf<f>>(t);
}

// a + b + carry and a - b - borrow, for 32 or 64 bits; `mode` bits: 1 reads the carry, 2 writes it.
// The machine adds ~b to subtract, so sub.cc leaves a carry where there is no borrow. NVRTC's
// division of 128-bit numbers reads that carry by addc.
template <class T, bool minus>
void with_carry(Thread& t, const Instruction& i) {
  const T a = get<T>(t, i.r[1]), b = get<T>(t, i.r[2]), plus = static_cast<T>(minus ? ~b : b);
  const unsigned in = (i.mode & 1) != 0 ? t.carry : minus;
  using W = WideUnsigned;
  const W v = W(a) + plus + in;
  put(t, i.r[0], static_cast<T>(v));
  if ((i.mode & 2) != 0) t.carry = (v >> width<T> & 1) != 0;
}
template <bool minus>
Handler carry(Decoding& d) {
  const bool writes = d.take("cc"), reads = d.base().back() == 'c';
  const Type t = d.type();
  d.slots({t, t, t});
  d.out.mode = static_cast<uint8_t>((reads ? 1 : 0) | (writes ? 2 : 0));
  if (bytes_of(t) == 4) return &with_carry<uint32_t, minus>;
  return bytes_of(t) == 8 ? &with_carry<uint64_t, minus> : nullptr;
}
template <class T, bool high>
void mad_with_carry(Thread& t, const Instruction& i) {
  const T a = get<T>(t, i.r[1]), b = get<T>(t, i.r[2]);
  const T p = static_cast<T>(high ? times_high(a, b) : Wide(times_low(a, b)));
  using U = std::make_unsigned_t<T>;
  using W = WideUnsigned;
  const W v = W(U(p)) + get<U>(t, i.r[3]) + ((i.mode & 1) != 0 && t.carry ? 1u : 0u);
  put(t, i.r[0], static_cast<U>(v));
  if ((i.mode & 2) != 0) t.carry = (v >> width<T> & 1) != 0;
}
Handler madc(Decoding& d) {
  const bool writes = d.take("cc"), high = d.take_any({"lo", "hi"}) == "hi";
  const Type t = d.type();
  d.slots({t, t, t, t});
  d.out.mode = static_cast<uint8_t>((d.base() == "madc" ? 1 : 0) | (writes ? 2 : 0));
  return of_integer<Handler>(t, [&]<class T>() -> Handler {
    if constexpr (sizeof(T) >= 4) {
      return high ? &mad_with_carry<T, true> : &mad_with_carry<T, false>;
    }
    return nullptr;
  });
}

constexpr auto plus_distance = [](auto a, auto b, auto c) {
  return plus(c, a < b ? minus(b, a) : minus(a, b));
};
Handler sad(Decoding& d) {
  const Type t = d.type();
  d.slots({t, t, t, t});
  return by_int<TernaryOf<plus_distance>>(t);
}

// Sums products of four bytes, or of two halves with two bytes.
template <class A, class B, unsigned parts>
void dot(Thread& t, const Instruction& i) {
  const uint32_t a = get<uint32_t>(t, i.r[1]), b = get<uint32_t>(t, i.r[2]) >> i.mode;
  auto sum = get<uint32_t>(t, i.r[3]);
  for (unsigned k = 0; k < parts; ++k) {
    sum += static_cast<uint32_t>(int64_t{static_cast<A>(a >> (k * width<A>))} *
                                 static_cast<B>(b >> (k * 8)));
  }
  put(t, i.r[0], sum);
}
Handler dp(Decoding& d) {
  const bool two = d.base() == "dp2a";
  if (two && d.take_any({"lo", "hi"}) == "hi") d.out.mode = 16;
  const bool sa = is_signed(d.type()), sb = is_signed(d.type());
  d.slots({Type::u32, Type::u32, Type::u32, Type::u32});
  if (two) {
    if (sa) return sb ? &dot<int16_t, int8_t, 2> : &dot<int16_t, uint8_t, 2>;
    return sb ? &dot<uint16_t, int8_t, 2> : &dot<uint16_t, uint8_t, 2>;
  }
  if (sa) return sb ? &dot<int8_t, int8_t, 4> : &dot<int8_t, uint8_t, 4>;
  return sb ? &dot<uint8_t, int8_t, 4> : &dot<uint8_t, uint8_t, 4>;
}

// vadd4 and the like: the bytes or halves of a word, each by itself. With `flag` their sum is added
// to c.
enum Lanes : uint8_t { of_add, of_sub, of_avrg, of_absdiff, of_min, of_max };
struct Signs {
  bool d, a, b, sat;
};
template <Lanes f>
int64_t of_lanes(int64_t a, int64_t b) {
  switch (f) {
    case of_add:
      return a + b;
    case of_sub:
      return a - b;
    case of_avrg:
      return (a + b + (a + b >= 0)) >> 1;
    case of_absdiff:
      return a < b ? b - a : a - b;
    case of_min:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}
template <Lanes f, unsigned bits>
void by_lanes(Thread& t, const Instruction& i) {
  const auto signs = std::bit_cast<Signs>(i.target);
  const auto lane = [](uint32_t word, unsigned at, bool is_signed) {
    const auto v = static_cast<int64_t>(word >> at & ((1u << bits) - 1));
    return is_signed && v >> (bits - 1) != 0 ? v - (int64_t{1} << bits) : v;
  };
  const int64_t least = signs.d ? -(int64_t{1} << (bits - 1)) : 0,
                most = least + (int64_t{1} << bits) - 1;
  const auto a = get<uint32_t>(t, i.r[1]), b = get<uint32_t>(t, i.r[2]);
  uint32_t all = i.flag ? get<uint32_t>(t, i.r[3]) : 0;
  for (unsigned k = 0; k < 32; k += bits) {
    int64_t v = of_lanes<f>(lane(a, k, signs.a), lane(b, k, signs.b));
    if (signs.sat) v = std::clamp(v, least, most);
    const auto low = static_cast<uint32_t>(v);
    all = i.flag ? all + low : all | (low & ((1u << bits) - 1)) << k;
  }
  put(t, i.r[0], all);
}
template <Lanes f>
Handler lanes(Decoding& d) {
  Signs s{};
  for (bool* each : {&s.d, &s.a, &s.b}) *each = is_signed(d.type());
  s.sat = d.take("sat");
  d.out.flag = d.take("add");
  d.out.target = std::bit_cast<uint32_t>(s);
  d.slots({Type::u32, Type::u32, Type::u32, Type::u32});
  return d.base().ends_with('4') ? &by_lanes<f, 8> : &by_lanes<f, 16>;
}

// Instructions that also exist for floats; the type decides on the handler.
Handler or_float(Decoding& d, Handler (*integer)(Decoding&)) {
  for (const Op& op : float_ops) {
    if (op.base != d.base()) continue;
    Decoding again = d;
    const auto t = again.maybe_type();
    if (!t) return nullptr;
    if (!is_float(*t)) return integer(d);
    if (*t != Type::f32 && *t != Type::f64) {
      for (const Op& half : half_ops) {
        if (half.base == d.base()) return half.decode(d);
      }
      return nullptr;
    }
    return op.decode(d);
  }
  return integer(d);
}
template <Handler (*f)(Decoding&)>
Handler any_type(Decoding& d) {
  return or_float(d, f);
}
template <Handler (*with_cc)(Decoding&), Handler (*f)(Decoding&)>
Handler or_cc(Decoding& d) {
  Decoding look = d;
  return look.take("cc") ? with_cc(d) : or_float(d, f);
}

constexpr Op all[] = {{"add", &or_cc<&carry<false>, &add>},
                      {"sub", &or_cc<&carry<true>, &sub>},
                      {"addc", &carry<false>},
                      {"subc", &carry<true>},
                      {"mul", &any_type<&mul>},
                      {"mad", &or_cc<&madc, &mad>},
                      {"madc", &madc},
                      {"mul24", &mul24},
                      {"mad24", &mad24},
                      {"div", &any_type<&binary<quotient, Dividing>>},
                      {"rem", &binary<remainder, Dividing>},
                      {"min", &any_type<&extreme<least>>},
                      {"max", &any_type<&extreme<greatest>>},
                      {"neg", &any_type<&unary<negative>>},
                      {"abs", &any_type<&unary<magnitude>>},
                      {"sad", &sad},
                      {"dp4a", &dp},
                      {"dp2a", &dp},
                      {"vadd2", &lanes<of_add>},
                      {"vadd4", &lanes<of_add>},
                      {"vsub2", &lanes<of_sub>},
                      {"vsub4", &lanes<of_sub>},
                      {"vavrg2", &lanes<of_avrg>},
                      {"vavrg4", &lanes<of_avrg>},
                      {"vabsdiff2", &lanes<of_absdiff>},
                      {"vabsdiff4", &lanes<of_absdiff>},
                      {"vmin2", &lanes<of_min>},
                      {"vmin4", &lanes<of_min>},
                      {"vmax2", &lanes<of_max>},
                      {"vmax4", &lanes<of_max>}};

}  // namespace

const std::span<const Op> integer_ops = all;

}  // namespace onefold::lab::ptx
