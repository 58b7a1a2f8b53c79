// Exact sums of products of a weight and up to two factors, and the statistics that follow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "onefold/dtype.hpp"
#include "onefold/exact/limbs.hpp"
#include "onefold/exact/long_integer.hpp"
#include "onefold/exact/real.hpp"

namespace onefold::weighted {

// The formula of an op.
enum class Name : uint8_t { var, std, mse, rmse, mae, cov, corr, slope, intercept };
// The sums that a formula reads, of w times these factors.
enum Term : uint8_t { one, x, y, xx, yy, xy, distance, term_count };
inline constexpr unsigned bit(Term t) { return 1u << t; }

template <class T>
inline Decoded decoded(T v) {
  if constexpr (Floating<T>) {
    return decode(v);
  } else if constexpr (dtype_of<T> == DType::boolean) {
    return {v.byte != 0 ? uint64_t{1} : 0, 0, false, false, false};
  } else {
    const bool negative = v < 0;
    const auto bits = static_cast<uint64_t>(v);
    return {negative ? 0 - bits : bits, 0, negative, false, false};
  }
}

inline bool is_less(const Decoded& a, const Decoded& b) {
  if (a.negative != b.negative) return a.negative;
  const auto size = [](const Decoded& d) { return std::pair(d.shift, d.mantissa); };
  return a.negative ? size(b) < size(a) : size(a) < size(b);
}

// Sums of the products of three elements of T, and what is not finite.
template <class T>
struct Moments {
  static constexpr int unit = Floating<T> ? float_format(dtype_of<T>).unit : 0;
  static constexpr int element_bits =
      Floating<T> ? float_format(dtype_of<T>).top - float_format(dtype_of<T>).unit : 64;
  // A product is added as 8 digits.
  static constexpr int limbs = limbs_for(3 * element_bits) + 8;
  static constexpr Size most_adds = Size{1} << 29;  // of up to two products each
  using Number = LongInteger<2 * (limbs + limbs_for(element_bits)) + 16>;

  int64_t sum[term_count][limbs];
  Size n = 0, nan = 0, adds = 0;
  bool infinite = false;                               // an x, y or weight is
  bool invalid = false, above = false, below = false;  // w (x - y) is NaN, +inf or -inf

  explicit Moments(unsigned terms) { clear(terms); }
  void clear(unsigned terms) {
    for (int t = 0; t < term_count; ++t) {
      if ((terms >> t & 1) != 0) std::fill_n(sum[t], limbs, 0);
    }
    n = nan = adds = 0;
    infinite = invalid = above = below = false;
  }

  // Adds (-1)^negative times a number of three words, which begins at this bit.
  static void add(int64_t* to, uint64_t a, uint64_t b, uint64_t c, int position, bool negative) {
    to += position >> 5;
    const int r = position & 31;
    const uint64_t words[] = {a << r, b << r | (a >> 1) >> (63 - r), c << r | (b >> 1) >> (63 - r),
                              (c >> 1) >> (63 - r)};
    const int64_t sign = negative ? -1 : 0;
    for (int k = 0; k < 4; ++k) {
      const auto low = static_cast<int64_t>(words[k] & 0xffffffffu);
      const auto high = static_cast<int64_t>(words[k] >> 32);
      to[2 * k] += (low ^ sign) - sign;
      to[2 * k + 1] += (high ^ sign) - sign;
    }
  }

  void add_product(Term t, const Decoded& w, const Decoded& a) {
    const Uint128 p = static_cast<Uint128>(w.mantissa) * a.mantissa;
    add(sum[t], static_cast<uint64_t>(p), static_cast<uint64_t>(p >> 64), 0, w.shift + a.shift,
        w.negative != a.negative);
  }
  void add_product(Term t, const Decoded& w, const Decoded& a, const Decoded& b) {
    const Uint128 p = static_cast<Uint128>(w.mantissa) * a.mantissa;
    const Uint128 low = static_cast<Uint128>(static_cast<uint64_t>(p)) * b.mantissa;
    const Uint128 high =
        static_cast<Uint128>(static_cast<uint64_t>(p >> 64)) * b.mantissa + (low >> 64);
    add(sum[t], static_cast<uint64_t>(low), static_cast<uint64_t>(high),
        static_cast<uint64_t>(high >> 64), w.shift + a.shift + b.shift,
        (w.negative != a.negative) != b.negative);
  }

  // Adds an element, or a pair, with its weight. `omits`: a pair with a NaN is left out.
  void take(unsigned terms, bool two, T given_x, T given_y, T weight, bool omits) {
    const Decoded w = decoded(weight), a = decoded(given_x), b = two ? decoded(given_y) : Decoded{};
    const bool is_nan = w.nan || a.nan || b.nan;
    if (is_nan) {
      nan += omits ? 0 : 1;
      n += omits ? 0 : 1;
      return;
    }
    ++n;
    if (w.infinite || a.infinite || b.infinite) return take_infinite(w, a, b);
    add(sum[one], w.mantissa, 0, 0, w.shift, w.negative);
    if ((terms & bit(x)) != 0) add_product(x, w, a);
    if ((terms & bit(y)) != 0) add_product(y, w, b);
    if ((terms & bit(xx)) != 0) add_product(xx, w, a, a);
    if ((terms & bit(yy)) != 0) add_product(yy, w, b, b);
    if ((terms & bit(xy)) != 0) add_product(xy, w, a, b);
    if ((terms & bit(distance)) != 0) {
      Decoded plus = w, minus = w;  // w |x - y| is w x - w y, or w y - w x
      (is_less(a, b) ? plus : minus).negative ^= true;
      add_product(distance, plus, a);
      add_product(distance, minus, b);
    }
    if (++adds == most_adds) carry_all(terms);
  }
  void take_infinite(const Decoded& w, const Decoded& a, const Decoded& b) {
    infinite = true;
    const bool no_difference = a.infinite && b.infinite && a.negative == b.negative;
    if (w.infinite || w.mantissa == 0 || no_difference) {
      invalid = true;
    } else {
      (w.negative ? below : above) = true;
      add(sum[one], w.mantissa, 0, 0, w.shift, w.negative);
    }
  }
  void carry_all(unsigned terms) {
    for (int t = 0; t < term_count; ++t) {
      if ((terms >> t & 1) != 0) carry(sum[t], limbs);
    }
    adds = 1;
  }
  // Both have been carried.
  void merge(const Moments& other, unsigned terms) {
    for (int t = 0; t < term_count; ++t) {
      if ((terms >> t & 1) == 0) continue;
      for (int k = 0; k < limbs; ++k) sum[t][k] += other.sum[t][k];
    }
    n += other.n;
    nan += other.nan;
    infinite |= other.infinite;
    invalid |= other.invalid;
    above |= other.above;
    below |= other.below;
    carry_all(terms);
  }

  Number number(Term t) const { return Number(find_digits(sum[t], limbs)); }
  static Real ratio(const Number& a, const Number& b, int exponent, bool root = false) {
    if (b.zero()) return Real::nan();
    Real r;
    r.negative = !a.zero() && a.negative != b.negative;
    if (root && r.negative) return Real::nan();
    r.numerator = quotient(a, b, exponent);
    r.root = root;
    return r;
  }
  // W sum w a b - sum w a sum w b, which is W^2 times a covariance or variance.
  Number spread(const Number& w, Term a, Term b, Term ab) const {
    return w * number(ab) - number(a) * number(b);
  }

  // The answer of carried sums.
  Real answer(Name name) const {
    if (n == 0 || nan != 0) return Real::nan();
    const Number w = number(one);
    const bool of_difference = name == Name::mse || name == Name::rmse || name == Name::mae;
    if (w.zero() || (infinite && (!of_difference || invalid || above == below))) return Real::nan();
    if (infinite) {
      const bool negative = below != w.negative;
      return negative && name == Name::rmse ? Real::nan() : Real::infinity(negative);
    }
    switch (name) {
      case Name::var:
      case Name::std:
        return ratio(spread(w, x, x, xx), w * w, 2 * unit, name == Name::std);
      case Name::mse:
      case Name::rmse: {
        const Number p = number(xy);
        return ratio(number(xx) + number(yy) - (p + p), w, 2 * unit, name == Name::rmse);
      }
      case Name::mae:
        return ratio(number(distance), w, unit);
      case Name::cov:
        return ratio(spread(w, x, y, xy), w * w, 2 * unit);
      case Name::corr: {
        const Number c = spread(w, x, y, xy);
        Real r = ratio(c * c, spread(w, x, x, xx) * spread(w, y, y, yy), 0, true);
        r.negative = c.negative;
        return r;
      }
      case Name::slope:
        return ratio(spread(w, x, y, xy), spread(w, x, x, xx), 0);
      case Name::intercept:
        return ratio(number(y) * number(xx) - number(x) * number(xy), spread(w, x, x, xx), unit);
    }
    return Real::nan();
  }
};

}  // namespace onefold::weighted
