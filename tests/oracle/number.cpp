#include "oracle/number.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

namespace oracle {
namespace {

constexpr std::array<Type, 13> types{{{"bool", Kind::boolean, 1},
                                      {"i8", Kind::signed_integer, 1},
                                      {"i16", Kind::signed_integer, 2},
                                      {"i32", Kind::signed_integer, 4},
                                      {"i64", Kind::signed_integer, 8},
                                      {"u8", Kind::unsigned_integer, 1},
                                      {"u16", Kind::unsigned_integer, 2},
                                      {"u32", Kind::unsigned_integer, 4},
                                      {"u64", Kind::unsigned_integer, 8},
                                      {"f16", Kind::floating, 2, 10, 5},
                                      {"bf16", Kind::floating, 2, 7, 8},
                                      {"f32", Kind::floating, 4, 23, 8},
                                      {"f64", Kind::floating, 8, 52, 11}}};

mpz_class times_power(const mpz_class& v, long e) {
  mpz_class r;
  mpz_mul_2exp(r.get_mpz_t(), v.get_mpz_t(), static_cast<mp_bitcnt_t>(std::max(e, 0L)));
  return r;
}

long bits(const mpz_class& v) { return static_cast<long>(mpz_sizeinbase(v.get_mpz_t(), 2)); }

// floor(log2(a / b * 2^e)), a and b positive.
long log2_floor(const mpz_class& a, const mpz_class& b, long e) {
  const long guess = bits(a) - bits(b);  // a / b is in (2^(guess - 1), 2^(guess + 1))
  const bool reaches = times_power(a, -guess) >= times_power(b, guess);
  return e + (reaches ? guess : guess - 1);
}

uint64_t infinity(const Type& t, bool negative) {
  const uint64_t ones = (uint64_t{1} << t.exponent) - 1;
  return ones << t.fraction | static_cast<uint64_t>(negative) << (t.fraction + t.exponent);
}

uint64_t round_to_float(const Exact& x, const Type& t) {
  const bool negative = sgn(x.number) < 0;
  const mpz_class a = abs(x.number.get_num()), b = x.number.get_den();
  const uint64_t sign = static_cast<uint64_t>(negative || x.negative_zero)
                        << (t.fraction + t.exponent);
  if (a == 0) return sign;
  long e = log2_floor(a, b, x.exponent);
  if (x.root) e = e >= 0 ? e / 2 : -((1 - e) / 2);
  // Numbers near x are multiples of 2^k.
  const long k = std::max(e - t.fraction, static_cast<long>(t.unit()));
  const long scale = x.exponent - (x.root ? 2 * k : k);
  const mpz_class top = times_power(a, scale), bottom = times_power(b, -scale);
  mpz_class q = top / bottom;
  if (x.root) q = sqrt(q);
  // Compare x / 2^k with q + 1/2.
  const mpz_class odd = 2 * q + 1;
  const int side = x.root ? cmp(4 * top, odd * odd * bottom) : cmp(2 * top, odd * bottom);
  if (side > 0 || (side == 0 && mpz_odd_p(q.get_mpz_t()) != 0)) ++q;
  const uint64_t m = q.get_ui();
  const uint64_t hidden = uint64_t{1} << t.fraction;
  if (m < hidden) return sign | m;  // subnormal, or zero
  // m is in [hidden, 2 hidden]; at its upper end it is the next power of two.
  const auto biased = static_cast<uint64_t>(k - t.unit() + 1 + (m == 2 * hidden ? 1 : 0));
  if (biased >= (uint64_t{1} << t.exponent) - 1) return infinity(t, negative);
  return sign | biased << t.fraction | (m == 2 * hidden ? 0 : m - hidden);
}

}  // namespace

const Type& type(std::string_view name) {
  const auto* t = std::find_if(types.begin(), types.end(), [&](auto& u) { return u.name == name; });
  if (t == types.end()) throw std::out_of_range(std::string(name));
  return *t;
}

Value round(const Exact& x, const Type& t) {
  if (t.floating()) {
    switch (x.is) {
      case Exact::Is::nan:
        return {infinity(t, false) | uint64_t{1} << (t.fraction - 1)};
      case Exact::Is::positive_infinity:
        return {infinity(t, false)};
      case Exact::Is::negative_infinity:
        return {infinity(t, true)};
      case Exact::Is::number:
        return {round_to_float(x, t)};
    }
  }
  // Integers come as integers: no op gives anything else to an integer type.
  if (x.is != Exact::Is::number || x.root || x.exponent != 0 || x.number.get_den() != 1) {
    throw std::logic_error("oracle: not an integer");
  }
  const mpz_class v = x.number.get_num();
  if (t.kind == Kind::boolean) return {v != 0 ? uint64_t{1} : uint64_t{0}};
  const int width = 8 * t.bytes;
  const bool is_signed = t.kind == Kind::signed_integer;
  const mpz_class high = (mpz_class(1) << (is_signed ? width - 1 : width)) - 1;
  const mpz_class low = is_signed ? mpz_class(-high - 1) : mpz_class(0);
  if (v < low || v > high) return {0, "overflow"};
  const mpz_class wrapped = v < 0 ? mpz_class(v + (mpz_class(1) << width)) : v;
  return {wrapped.get_ui()};
}

std::string text(const Value& v, const Type& t) {
  if (v.status != "ok") return std::string(v.status);
  char s[40];
  std::snprintf(s, sizeof s, "%.*s 0x%0*llx", static_cast<int>(t.name.size()), t.name.data(),
                2 * t.bytes, static_cast<unsigned long long>(v.bits));
  return s;
}

}  // namespace oracle
