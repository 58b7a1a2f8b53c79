// cvt: conversions between any two types, with the named rounding and saturation.
#include <bit>
#include <limits>

#include "lab/ptx/decode.hpp"
#include "lab/ptx/op/by_type.hpp"
#include "lab/ptx/op/half.hpp"
#include "lab/ptx/op/rounding.hpp"

namespace onefold::lab::ptx {
namespace {

// How a conversion uses an instruction's fields: offset = source type, target = result type.
enum Flag : uint8_t { whole = 4, saturates = 8, flushes = 16, relu = 32 };

__extension__ typedef __int128 Wide;

struct Number {
  bool floating = false;
  double f = 0;  // a float's value
  Wide i = 0;    // an integer's value
};

Number read(const Thread& t, uint32_t slot, Type type) {
  if (type == Type::f16) return {true, F16::wide(get<uint16_t>(t, slot))};
  if (type == Type::bf16) return {true, Bf16::wide(get<uint16_t>(t, slot))};
  if (type == Type::f32) return {true, get<float>(t, slot)};
  if (type == Type::f64) return {true, get<double>(t, slot)};
  return of_integer<Number>(type, [&]<class T>() { return Number{.i = get<T>(t, slot)}; });
}

// Converts an integer of 64 bits to a float.
template <class T>
T from_integer(Wide v, uint8_t mode) {
  const T nearest =
      v < 0 ? static_cast<T>(static_cast<int64_t>(v)) : static_cast<T>(static_cast<uint64_t>(v));
  return directed(mode & 3, nearest, error_sign(v, static_cast<Wide>(nearest)));
}

uint64_t to_integer(const Number& n, Type to, uint8_t mode) {
  const unsigned bits = bytes_of(to) * 8;
  const bool sign = is_signed(to);
  const Wide one = 1;
  const Wide low = sign ? -(one << (bits - 1)) : 0;
  const Wide high = sign ? (one << (bits - 1)) - 1 : (one << bits) - 1;
  Wide v = n.i;
  if (n.floating) {
    // Floats are always clamped; NaN gives 0, or for 64 bits the highest bit.
    if (std::isnan(n.f)) return bits == 64 ? uint64_t{1} << 63 : 0;
    const double w = to_whole(n.f, mode & 3);
    v = w >= 0x1p65 ? high : w <= -0x1p65 ? low : static_cast<Wide>(w);
    v = v < low ? low : v > high ? high : v;
  } else if ((mode & saturates) != 0) {
    v = v < low ? low : v > high ? high : v;
  }
  // A signed value keeps its sign in a wider register.
  if (bits == 64) return static_cast<uint64_t>(v);
  const auto u = static_cast<uint64_t>(v) & ((uint64_t{1} << bits) - 1);
  if (!sign) return u;
  const auto s = static_cast<int64_t>(u << (64 - bits)) >> (64 - bits);
  return static_cast<uint64_t>(s);
}

void convert(Thread& t, const Instruction& i) {
  const auto from = static_cast<Type>(i.offset), to = static_cast<Type>(i.target);
  Number n = read(t, i.r[1], from);
  if (n.floating && (i.mode & flushes) != 0 && from == Type::f32) {
    n.f = flushed(static_cast<float>(n.f));
  }
  if (!is_float(to)) {
    t.r[i.r[0]] = to_integer(n, to, i.mode);
    return;
  }
  if (n.floating && (i.mode & whole) != 0) n.f = to_whole(n.f, i.mode & 3);
  if (n.floating && (i.mode & saturates) != 0) n.f = clamped(n.f);
  if (n.floating && (i.mode & relu) != 0 && (n.f < 0 || std::isnan(n.f))) n.f = 0;
  switch (to) {
    case Type::f64:
      put(t, i.r[0], canonical(n.floating ? n.f : from_integer<double>(n.i, i.mode)));
      return;
    case Type::f32: {
      float v = 0;
      if (n.floating) {
        v = static_cast<float>(n.f);
        v = canonical(directed(i.mode & 3, v, error_sign(n.f, static_cast<double>(v))));
        if ((i.mode & flushes) != 0) v = flushed(v);
      } else {
        v = from_integer<float>(n.i, i.mode);
        if ((i.mode & saturates) != 0) v = clamped(v);
      }
      put(t, i.r[0], v);
      return;
    }
    case Type::f16:
    case Type::bf16: {
      // A 64-bit source is first rounded to odd, which avoids double rounding.
      double v = n.f;
      if (!n.floating) {
        v = from_integer<double>(n.i, to_zero);
        if (static_cast<Wide>(v) != n.i) {
          v = std::bit_cast<double>(std::bit_cast<uint64_t>(v) | 1);
        }
        if ((i.mode & saturates) != 0) v = clamped(v);
      }
      put(t, i.r[0], to == Type::f16 ? F16::narrow(v, i.mode & 3) : Bf16::narrow(v, i.mode & 3));
      return;
    }
    default:
      return;
  }
}

// Converts two f32 into one register; the first goes to the upper half.
template <class F>
void convert_two(Thread& t, const Instruction& i) {
  const auto one = [&](uint32_t slot) {
    double v = get<float>(t, slot);
    if ((i.mode & relu) != 0 && (v < 0 || std::isnan(v))) v = 0;
    return uint32_t{F::narrow(v, i.mode & 3)};
  };
  put(t, i.r[0], one(i.r[1]) << 16 | one(i.r[2]));
}

// Conversions that change nothing, or only the width.
template <class To, class From>
void widen(Thread& t, const Instruction& i) {
  using W = std::conditional_t<std::is_signed_v<To>, int64_t, uint64_t>;
  put(t, i.r[0], static_cast<W>(static_cast<To>(get<From>(t, i.r[1]))));
}

Handler cvt(Decoding& d) {
  uint8_t mode = to_nearest;
  if (const auto r = d.take_any({"rni", "rzi", "rmi", "rpi"}); !r.empty()) {
    mode = static_cast<uint8_t>((r == "rzi"   ? to_zero
                                 : r == "rmi" ? down
                                 : r == "rpi" ? up
                                              : 0) |
                                whole);
  } else {
    mode = take_rounding(d);
  }
  if (d.take("ftz")) mode |= flushes;
  if (d.take("sat")) mode |= saturates;
  if (d.take("relu")) mode |= relu;
  d.out.mode = mode;
  const Type to = d.type(), from = d.type();
  if (to == Type::f16x2 || to == Type::bf16x2) {
    d.slots({Type::b32, from, from});
    if (from != Type::f32) return nullptr;
    return to == Type::f16x2 ? &convert_two<F16> : &convert_two<Bf16>;
  }
  if (to == Type::none || from == Type::f16x2 || from == Type::bf16x2) return nullptr;
  d.slots({to, from});
  d.out.offset = static_cast<int64_t>(from);
  d.out.target = static_cast<uint32_t>(to);
  if (to == Type::u64 && from == Type::u32) return &widen<uint64_t, uint32_t>;
  if (to == Type::s64 && from == Type::s32) return &widen<int64_t, int32_t>;
  if ((mode & saturates) == 0 && (to == Type::u32 || to == Type::s32) &&
      (from == Type::u64 || from == Type::s64)) {
    return &widen<uint32_t, uint64_t>;
  }
  return &convert;
}

// Extends the lower bits by their sign or by zeros.
template <bool sign>
void extend(Thread& t, const Instruction& i) {
  uint32_t n = get<uint32_t>(t, i.r[2]);
  n = i.flag ? n & 31 : std::min(n, 32u);
  const uint32_t a = get<uint32_t>(t, i.r[1]);
  uint32_t v = n == 32 ? a : a & ((1u << n) - 1);
  if (sign && n != 0 && n < 32 && (v >> (n - 1) & 1) != 0) v |= ~0u << n;
  put(t, i.r[0], v);
}
Handler szext(Decoding& d) {
  d.out.flag = d.take_any({"wrap", "clamp"}) == "wrap";
  const Type t = d.type();
  d.slots({t, t, Type::u32});
  return t == Type::s32 ? &extend<true> : &extend<false>;
}

constexpr Op all[] = {{"cvt", &cvt}, {"szext", &szext}};

}  // namespace

const std::span<const Op> convert_ops = all;

}  // namespace onefold::lab::ptx
