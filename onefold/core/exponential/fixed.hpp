// Exponentials and logarithms of any precision, by integers: what no quick number decides is
// computed by them.
//
//   number     an unsigned integer of limbs times 2^-64F, F limbs of which are its fraction; one
//              more is its integer part
//   unit       2^-64F, of which errors are bounded; each operation cuts off less than one unit
//   exp        e^-u = 2^-k e^r, 0 <= r < 2 ln 2. r is halved up to 16 times, its series is summed
//              and the sum squared as often. The series has fewer than 2^10 terms, each with an
//              error below 2 units; a squaring doubles the error, and the last ones multiply it by
//              at most 4: below 2^(11 + 16 + 2) units. k ln 2 adds less than 2^29
//   log        of s >= 1: y = log s as f64, and t = s e^-y - 1 < 2^-40, so that
//              ln s = y + t - t^2 / 2 + t^3 / 3 - ..; it inherits the error of s e^-y
//   memory     its owner's: P is a pointer to limbs, the lowest first, on the host or a device
#pragma once

#include "onefold/core/exponential/logarithm.hpp"

namespace onefold {

// Numbers of n limbs as two's complement; the last carry is dropped.
namespace limbs_of {

template <class P>
ONEFOLD_FN void set(P a, int n, uint64_t top = 0) {
  for (int i = 0; i < n; ++i) a[i] = uint64_t{i == n - 1 ? top : 0};
}
template <class P>
ONEFOLD_FN void copy(P from, P to, int n) {
  for (int i = 0; i < n; ++i) {
    const uint64_t limb = from[i];
    to[i] = limb;
  }
}
template <class P>
ONEFOLD_FN void add(P a, P b, int n) {
  uint64_t carry = 0;
  for (int i = 0; i < n; ++i) {
    const uint64_t x = a[i], y = b[i], s = x + y, t = s + carry;
    carry = (s < y) | (t < s);
    a[i] = t;
  }
}
template <class P>
ONEFOLD_FN void subtract(P a, P b, int n) {
  uint64_t borrow = 0;
  for (int i = 0; i < n; ++i) {
    const uint64_t x = a[i], y = b[i], d = x - y, t = d - borrow;
    borrow = (x < y) | (d < borrow);
    a[i] = t;
  }
}
template <class P>
ONEFOLD_FN void negate(P a, int n) {
  uint64_t carry = 1;
  for (int i = 0; i < n; ++i) {
    const uint64_t x = a[i], y = ~x + carry;
    carry &= static_cast<uint64_t>(y == 0);
    a[i] = y;
  }
}
template <class P>
ONEFOLD_FN bool is_zero(P a, int n) {
  for (int i = 0; i < n; ++i) {
    const uint64_t x = a[i];
    if (x != 0) return false;
  }
  return true;
}
template <class P>
ONEFOLD_FN bool is_negative(P a, int n) {
  const uint64_t top = a[n - 1];
  return static_cast<int64_t>(top) < 0;
}
// Returns whether a < b, both with signs.
template <class P>
ONEFOLD_FN bool is_less(P a, P b, int n) {
  for (int i = n; i-- > 0;) {
    const uint64_t sign = i == n - 1 ? uint64_t{1} << 63 : 0;
    const uint64_t given = a[i], other = b[i], x = given ^ sign, y = other ^ sign;
    if (x != y) return x < y;
  }
  return false;
}
template <class P>
ONEFOLD_FN void divide(P a, uint32_t by, int n) {
  uint64_t rest = 0;
  for (int i = n; i-- > 0;) {
    const uint64_t x = a[i], high = rest << 32 | x >> 32, q = high / by;
    const uint64_t low = (high % by) << 32 | (x & 0xffffffff);
    a[i] = q << 32 | low / by;
    rest = low % by;
  }
}
// Writes from * by; the last carry is dropped. `to` may be `from`.
template <class P>
ONEFOLD_FN void multiply(P from, uint64_t by, P to, int n) {
  uint64_t carry = 0;
  for (int i = 0; i < n; ++i) {
    const uint64_t limb = from[i];
    const Uint128 p =
        static_cast<Uint128>(limb) * static_cast<Uint128>(by) + static_cast<Uint128>(carry);
    to[i] = static_cast<uint64_t>(p);
    carry = static_cast<uint64_t>(p >> 64);
  }
}
template <class P>
ONEFOLD_FN void shift_right(P a, uint64_t bits, int n) {
  const auto limbs = static_cast<int>(bits / 64), part = static_cast<int>(bits % 64);
  const auto limb = [&](int i) -> uint64_t {
    if (i >= n) return 0;
    const uint64_t x = a[i];
    return x;
  };
  for (int i = 0; i < n; ++i) {
    const uint64_t low = limb(i + limbs), high = limb(i + limbs + 1);
    a[i] = part == 0 ? low : low >> part | high << (64 - part);
  }
}
// Adds v 2^bit, v an integer.
template <class P>
ONEFOLD_FN void add_at(P a, uint64_t v, int bit, int n, bool minus = false) {
  int i = bit / 64;
  const int part = bit % 64;
  uint64_t word[2] = {v << part, part == 0 ? 0 : v >> (64 - part)}, carry = 0;
  for (int k = 0; i < n && (k < 2 || carry != 0); ++k, ++i) {
    const uint64_t w = k < 2 ? word[k] : 0, x = a[i];
    const uint64_t s = minus ? x - w : x + w, t = minus ? s - carry : s + carry;
    carry = minus ? (x < w) | (s < carry) : (s < w) | (t < s);
    a[i] = t;
  }
}
// Adds v 2^(64 fraction), or subtracts it; bits below the unit are cut off, and those above the
// last limb dropped.
template <class P>
ONEFOLD_FN void add_double(P a, double v, int fraction, int n, bool minus = false) {
  const Decoded d = decode(v);
  if (d.mantissa == 0) return;
  const int64_t bit = int64_t{d.shift} - 1074 + int64_t{64} * fraction;
  if (bit <= -64) return;
  const uint64_t m = bit >= 0 ? d.mantissa : d.mantissa >> -bit;
  add_at(a, m, bit >= 0 ? static_cast<int>(bit) : 0, n, d.negative != minus);
}
// Returns a as f64, with a relative error below 2^-50.
template <class P>
ONEFOLD_FN double approximate(P a, int fraction, int n) {
  double v = 0;
  for (int i = n; i-- > 0;) {
    const uint64_t x = a[i];
    if (x == 0 || 64 * (i - fraction) < -960) continue;
    v += static_cast<double>(x) * power_of_two(64 * (i - fraction));
  }
  return v;
}

}  // namespace limbs_of

template <class P>
class FixedPoint {
 public:
  // Takes limbs(fraction) limbs of memory; anew: not those of another object of this length.
  ONEFOLD_FN FixedPoint(int fraction, P memory, bool anew = true)
      : fraction_(fraction),
        halvings_(fraction < 16 ? isqrt16(fraction) : 16),
        ln2_(memory),
        r_(memory + size()),
        term_(memory + 2 * size()),
        inverse_(memory + 3 * size()),
        product_(memory + 4 * size()) {
    if (!anew) return;
    // ln 2 = sum of 2 / ((2 i + 1) 3^(2 i + 1)), each with an error below 2 units.
    limbs_of::set(ln2_, size());
    limbs_of::set(term_, size(), 2);
    limbs_of::divide(term_, 3, size());
    for (uint32_t i = 1; !limbs_of::is_zero(term_, size()); i += 2) {
      limbs_of::copy(term_, r_, size());
      limbs_of::divide(r_, i, size());
      limbs_of::add(ln2_, r_, size());
      limbs_of::divide(term_, 9, size());
    }
  }
  ONEFOLD_FN static constexpr int limbs(int fraction) { return 6 * (fraction + 1); }

  ONEFOLD_FN int fraction() const { return fraction_; }
  ONEFOLD_FN int size() const { return fraction_ + 1; }

  // Writes k ln 2.
  ONEFOLD_FN void log_of_power(uint64_t k, P out) const {
    limbs_of::multiply(ln2_, k, out, size());
  }
  // Writes e^-u, with an error below 2^exp_error units; e^-0 is exactly 1.
  static constexpr int exp_error = 32;
  ONEFOLD_FN void exp_minus(P u, P out) const {
    const uint64_t whole = u[fraction_];
    if (limbs_of::is_zero(u, size())) {
      limbs_of::set(out, size(), 1);
    } else if (whole >= static_cast<uint64_t>(64 * fraction_)) {  // e^-u is below a unit
      limbs_of::set(out, size());
    } else {
      const int k = exp_parts(u, out);
      limbs_of::shift_right(out, static_cast<uint64_t>(k), size());
    }
  }
  // Does so for 2^k e^-u, 1 <= 2^k e^-u < 4, u < 2^13, and returns k.
  ONEFOLD_FN int exp_parts(P u, P out) const {
    // r = k ln 2 - u. A k that is off by one makes r negative or more than ln 2.
    auto k =
        static_cast<uint64_t>(limbs_of::approximate(u, fraction_, size()) * 1.4426950408889634) + 1;
    log_of_power(k, r_);
    limbs_of::subtract(r_, u, size());
    if (limbs_of::is_negative(r_, size())) {
      limbs_of::add(r_, ln2_, size());
      ++k;
    }
    limbs_of::shift_right(r_, static_cast<uint64_t>(halvings_), size());
    limbs_of::set(out, size(), 1);
    limbs_of::copy(r_, term_, size());
    for (uint32_t i = 2; !limbs_of::is_zero(term_, size()); ++i) {
      limbs_of::add(out, term_, size());
      multiply(term_, r_, term_);
      limbs_of::divide(term_, i, size());
    }
    for (int i = 0; i < halvings_; ++i) multiply(out, out, out);
    return static_cast<int>(k);
  }

  // Writes ln s of 1 <= s < 2^62. If s has an error below 2^error units and s 2^exp_error <=
  // 2^error, ln s has one below 2^(error + 3) units. `out` is not s.
  ONEFOLD_FN void log(P s, P out) const {
    const double y = quick_log(limbs_of::approximate(s, fraction_, size()));
    limbs_of::set(out, size());
    if (y > 0) limbs_of::add_double(out, y, fraction_, size());
    exp_minus(out, inverse_);
    const P t = r_, power = term_, part = inverse_;
    multiply(s, inverse_, t);
    const uint64_t whole = t[fraction_];
    const bool below = whole == 0;  // s e^-y < 1
    if (below) limbs_of::negate(t, size());
    limbs_of::add_at(t, 1, 64 * fraction_, size(), !below);
    // ln(1 + t) = t - t^2 / 2 + t^3 / 3 - ..; ln(1 - t) = -(t + t^2 / 2 + t^3 / 3 + ..)
    limbs_of::copy(t, power, size());
    for (uint32_t i = 1; !limbs_of::is_zero(power, size()); ++i) {
      limbs_of::copy(power, part, size());
      limbs_of::divide(part, i, size());
      if (below || i % 2 == 0) {
        limbs_of::subtract(out, part, size());
      } else {
        limbs_of::add(out, part, size());
      }
      multiply(power, t, power);
    }
    if (limbs_of::is_negative(out, size())) limbs_of::set(out, size());
  }

 private:
  // The root of 16 n, rounded down.
  ONEFOLD_FN static int isqrt16(int n) {
    int r = 4;
    while ((r + 1) * (r + 1) <= 16 * n) ++r;
    return r;
  }
  ONEFOLD_FN void multiply(P a, P b, P out) const {  // out may be a or b
    const int n = size();
    limbs_of::set(product_, 2 * n);
    for (int i = 0; i < n; ++i) {
      const uint64_t x = a[i];
      if (x == 0) continue;
      uint64_t carry = 0;
      for (int j = 0; j < n; ++j) {
        const uint64_t y = b[j], was = product_[i + j];
        const Uint128 p = static_cast<Uint128>(x) * static_cast<Uint128>(y) +
                          static_cast<Uint128>(was) + static_cast<Uint128>(carry);
        product_[i + j] = static_cast<uint64_t>(p);
        carry = static_cast<uint64_t>(p >> 64);
      }
      product_[i + n] = carry;
    }
    limbs_of::copy(product_ + fraction_, out, n);
  }

  int fraction_, halvings_;
  P ln2_, r_, term_, inverse_, product_;
};

}  // namespace onefold
