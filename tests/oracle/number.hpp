// The oracle's numbers: element types, decoding, and rounding by GMP. Nothing here comes from the
// product, not even a header: a mistake would have to be made twice to stay hidden.
#pragma once

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace oracle {

enum class Kind { boolean, signed_integer, unsigned_integer, floating };

struct Type {
  std::string_view name;
  Kind kind;
  int bytes;
  int fraction = 0;  // bits of a floating-point number behind its point
  int exponent = 0;  // bits of its exponent field

  bool floating() const { return kind == Kind::floating; }
  bool integer() const { return kind == Kind::signed_integer || kind == Kind::unsigned_integer; }
  int unit() const { return floating() ? 2 - (1 << (exponent - 1)) - fraction : 0; }
};

// throws std::out_of_range
const Type& type(std::string_view name);

// An element: (-1)^negative * magnitude * 2^(unit + shift), or what it is instead of a number.
struct Element {
  uint64_t magnitude = 0;
  int shift = 0;
  bool negative = false;
  bool nan = false;
  bool infinite = false;
};
inline Element decode(const Type& t, uint64_t bits) {
  const int width = 8 * t.bytes;
  Element x;
  switch (t.kind) {
    case Kind::boolean:
      x.magnitude = bits != 0 ? 1 : 0;
      return x;
    case Kind::unsigned_integer:
      x.magnitude = bits;
      return x;
    case Kind::signed_integer:
      x.negative = (bits >> (width - 1)) != 0;
      x.magnitude = x.negative ? (width == 64 ? 0 : uint64_t{1} << width) - bits : bits;
      return x;
    case Kind::floating:
      break;
  }
  const uint64_t hidden = uint64_t{1} << t.fraction;
  const uint64_t fraction = bits & (hidden - 1);
  const auto field = static_cast<int>(bits >> t.fraction & ((uint64_t{1} << t.exponent) - 1));
  x.negative = (bits >> (width - 1)) != 0;
  if (field == (1 << t.exponent) - 1) {
    (fraction == 0 ? x.infinite : x.nan) = true;
  } else if (field == 0) {
    x.magnitude = fraction;
  } else {
    x.magnitude = hidden + fraction;
    x.shift = field - 1;
  }
  return x;
}

// A real number: number * 2^exponent, or its square root; or no number at all.
struct Exact {
  enum class Is { number, nan, positive_infinity, negative_infinity } is = Is::number;
  mpq_class number = 0;
  long exponent = 0;
  bool root = false;
  bool negative_zero = false;  // number is 0
};

// A value of a type, or why there is none.
struct Value {
  uint64_t bits = 0;
  std::string_view status = "ok";
  friend bool operator==(const Value&, const Value&) = default;
};

// To the nearest of a type, ties to even; for integers exactly, or "overflow".
Value round(const Exact& x, const Type& t);

// "f32 0x3f800000" or "overflow".
std::string text(const Value& v, const Type& t);

}  // namespace oracle
