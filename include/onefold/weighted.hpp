// Exact sums of products of a weight and up to two factors, and the statistics that follow.
//
//   formula  an op's recipe (recipe.hpp), with the sum of the weights in the place of n. Integers
//            that say how often an element counts (`repeated`) go with the same formulas
//   sums     fixed-point numbers of up to three factors; so nothing is rounded before the quotient
//   once     the processor, and kernels for what their totals do not decide, use the same text
#pragma once

#include "onefold/exact/limbs.hpp"
#include "onefold/formula/exact.hpp"
#include "onefold/recipe.hpp"
#include "onefold/status.hpp"

namespace onefold::weighted {

// Each sum is that of w times the factors.
using formula::Ratio;
using formula::Term;
using enum formula::Term;
constexpr unsigned bit(Term t) { return 1u << t; }

// What an op computes from the sums.
struct Formula {
  Recipe::Name name = Recipe::Name::nothing;  // `nothing`: weights mean nothing for the op
  bool root = false;
  bool divides = false;  // a sum, by that of the weights
};
ONEFOLD_FN constexpr unsigned terms_of(Recipe::Name name) {
  using enum Recipe::Name;
  constexpr unsigned line = bit(x) | bit(y) | bit(xx) | bit(xy);
  switch (name) {
    case sum:
      return bit(x);
    case sumabs:
    case absolute_difference:
      return bit(distance);
    case sumsq:
      return bit(xx);
    case spread:
      return bit(x) | bit(xx);
    case squared_difference:
      return bit(weighted::squared_difference);
    case common_spread:
      return bit(x) | bit(y) | bit(xy);
    case correlation:
      return line | bit(yy);
    case slope:
    case intercept:
      return line;
    default:
      return 0;
  }
}
// A sum that is an answer, or is divided by n.
ONEFOLD_FN constexpr bool is_plain(Recipe::Name name) {
  using enum Recipe::Name;
  return name == sum || name == sumabs || name == sumsq || name == squared_difference ||
         name == absolute_difference;
}
//   r         an op's recipe for several elements
//   repeated  weights say how often elements count; then all sums are meant, too
ONEFOLD_FN constexpr Formula formula_of(const Recipe& r, bool repeated) {
  using enum Recipe::Name;
  const Recipe::Name name = r.numerator.name;
  const bool divides = r.n != 1,
             total = name == sumabs || name == sumsq || (is_plain(name) && !divides);
  if (!r.useful() || terms_of(name) == 0 || (total && !repeated)) return {};
  return {name, r.root, divides};
}

// The ratio that is an answer. `s` also has the numbers s.whole(1), and for ddof = p / f
// s.factor() and s.taken() (formula/statistics.hpp).
template <Recipe::Name name, class S>
ONEFOLD_FN constexpr auto ratio_of(const Formula& f, const S& s) {
  using enum Recipe::Name;
  if constexpr (name == correlation) {
    return formula::correlation(s);
  } else if constexpr (name == slope) {
    return formula::slope(s);
  } else if constexpr (name == intercept) {
    return formula::intercept(s);
  } else {
    Ratio<typename S::Number> r;
    if constexpr (name == spread) {
      r = formula::covariance(s, x, x, xx);
    } else if constexpr (name == common_spread) {
      r = formula::covariance(s, x, y, xy);
    } else {
      constexpr Term term = name == sum     ? x
                            : name == sumsq ? xx
                            : name == Recipe::Name::squared_difference
                                ? weighted::squared_difference
                                : distance;
      r = {s(term), f.divides ? s(one) : s.whole(1), term == x || term == distance ? 1 : 2};
    }
    r.root = f.root;
    return r;
  }
}

// Of an array or a pair of arrays: what is no finite number.
struct Seen {
  Size n = 0, nan = 0;    // elements that count; NaN among them
  bool infinite = false;  // an x, y or weight is
  // Of one array w x, of two w (x - y): one is NaN, +inf or -inf.
  bool invalid = false, above = false, below = false;
  bool nonzero = false;  // a product w x is not -0
  ONEFOLD_FN constexpr void add(const Seen& s) {
    n += s.n;
    nan += s.nan;
    infinite |= s.infinite;
    invalid |= s.invalid;
    above |= s.above;
    below |= s.below;
    nonzero |= s.nonzero;
  }
};

// Takes any element apart: 64-bit integers are mantissas.
template <class T>
ONEFOLD_FN constexpr Decoded decoded(T v) {
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

// A number of three words that begins at this bit, as digits: put(k, digit) adds to limb k.
template <class Put>
ONEFOLD_FN constexpr void deposit_words(const Put& put, uint64_t a, uint64_t b, uint64_t c,
                                        int position, bool negative) {
  const int k = position >> 5, r = position & 31;
  const uint64_t words[] = {a << r, b << r | (a >> 1) >> (63 - r), c << r | (b >> 1) >> (63 - r),
                            (c >> 1) >> (63 - r)};
  const int64_t sign = negative ? -1 : 0;
  for (int i = 0; i < 4; ++i) {
    const auto low = static_cast<int64_t>(words[i] & 0xffffffffu);
    const auto high = static_cast<int64_t>(words[i] >> 32);
    put(k + 2 * i, (low ^ sign) - sign);
    put(k + 2 * i + 1, (high ^ sign) - sign);
  }
}

// Exact sums of elements of T with weights of T.
template <class T>
struct Sums {
  static constexpr int unit = Floating<T> ? float_format(dtype_of<T>).unit : 0;
  static constexpr int element_bits =
      Floating<T> ? float_format(dtype_of<T>).top - float_format(dtype_of<T>).unit : 64;
  // Below the top limb; a deposit has 8 digits.
  static constexpr int limbs = limbs_for(3 * element_bits) + 8;
  // Elements that fit before a carry: each adds up to four digits to a limb.
  static constexpr Size most_adds = Size{1} << 28;
  // The digits of the longest product of sums, and of its quotient.
  static constexpr int most_digits = 2 * (limbs + limbs_for(element_bits)) + 16;

  // Of the weight and no factor, one, or two.
  static constexpr int unit_of(Term t) {
    return (t == one ? 1 : t == x || t == y || t == distance ? 2 : 3) * unit;
  }

  // Adds an element with its weight to the sums of `terms`: put(term, k, digit) adds to limb k of
  // one. `two`: a pair, else b is 0. `omits`: what has a NaN is left out.
  template <unsigned terms, bool two, class Put>
  ONEFOLD_FN static constexpr void lift(const Decoded& w, const Decoded& a, const Decoded& b,
                                        bool omits, Seen& seen, const Put& put) {
    const auto to = [&](Term t) { return [&put, t](int k, int64_t digit) { put(t, k, digit); }; };
    const auto weigh = [&] { deposit_words(to(one), w.mantissa, 0, 0, w.shift, w.negative); };
    if (w.nan || a.nan || b.nan) {
      seen.nan += omits ? 0 : 1;
      seen.n += omits ? 0 : 1;
      return;
    }
    ++seen.n;
    const bool is_zero = w.mantissa == 0 || a.mantissa == 0;
    seen.nonzero |= !Floating<T> || !is_zero || w.negative == a.negative;
    if (w.infinite || a.infinite || b.infinite) {
      seen.infinite = true;
      const bool no_difference = a.infinite && b.infinite && a.negative == b.negative;
      if (w.infinite || w.mantissa == 0 || no_difference) {
        seen.invalid = true;
      } else {
        (w.negative != (!two && a.negative) ? seen.below : seen.above) = true;
        weigh();
      }
      return;
    }
    weigh();
    const auto one_factor = [&](Term t, const Decoded& f, bool turn) {
      const Uint128 p = static_cast<Uint128>(w.mantissa) * f.mantissa;
      deposit_words(to(t), static_cast<uint64_t>(p), static_cast<uint64_t>(p >> 64), 0,
                    w.shift + f.shift, (w.negative != f.negative) != turn);
    };
    // 2^doubled times the product.
    const auto two_factors = [&](Term t, const Decoded& f, const Decoded& g, int doubled) {
      const Uint128 p = static_cast<Uint128>(w.mantissa) * f.mantissa;
      const Uint128 low = static_cast<Uint128>(static_cast<uint64_t>(p)) * g.mantissa;
      const Uint128 high =
          static_cast<Uint128>(static_cast<uint64_t>(p >> 64)) * g.mantissa + (low >> 64);
      const bool turn = doubled != 0;
      deposit_words(to(t), static_cast<uint64_t>(low), static_cast<uint64_t>(high),
                    static_cast<uint64_t>(high >> 64), w.shift + f.shift + g.shift + doubled,
                    ((w.negative != f.negative) != g.negative) != turn);
    };
    if constexpr ((terms & bit(x)) != 0) one_factor(x, a, false);
    if constexpr ((terms & bit(y)) != 0) one_factor(y, b, false);
    if constexpr ((terms & bit(xx)) != 0) two_factors(xx, a, a, 0);
    if constexpr ((terms & bit(yy)) != 0) two_factors(yy, b, b, 0);
    if constexpr ((terms & bit(xy)) != 0) two_factors(xy, a, b, 0);
    if constexpr ((terms & bit(squared_difference)) != 0) {  // w x^2 + w y^2 - 2 w x y
      two_factors(squared_difference, a, a, 0);
      two_factors(squared_difference, b, b, 0);
      two_factors(squared_difference, a, b, 1);
    }
    if constexpr ((terms & bit(distance)) != 0) {  // w |x - y| is w x - w y, or w y - w x
      const bool less = is_less(a, b);
      one_factor(distance, a, less);
      if constexpr (two) one_factor(distance, b, !less);
    }
  }

 private:
  ONEFOLD_FN static constexpr bool is_less(const Decoded& a, const Decoded& b) {
    if (a.negative != b.negative) return a.negative;
    const bool less = a.shift != b.shift ? a.shift < b.shift : a.mantissa < b.mantissa,
               more = a.shift != b.shift ? a.shift > b.shift : a.mantissa > b.mantissa;
    return a.negative ? more : less;
  }
};

// The carried sums as numbers.
//   N      a LongInteger of most_digits
//   Load   load(term) returns the pointer to a term's limbs
template <class T, class N, class Load>
struct Numbers {
  using Number = N;
  const Load& load;

  ONEFOLD_FN constexpr Number operator()(Term t) const {
    return Number(digits_in(load(t), Sums<T>::limbs));
  }
  ONEFOLD_FN static constexpr Number whole(Uint128 v) { return Number(v); }
  ONEFOLD_FN static constexpr Number factor() { return whole(1); }
  ONEFOLD_FN static constexpr Number taken() { return Number(); }
  ONEFOLD_FN static constexpr bool is_negative(const Number& n) { return n.negative; }
};

// The answer if an element is not finite, or if there is none.
//   weights   the sum of all weights is negative, or 0
ONEFOLD_FN constexpr bool is_settled(const Formula& f, const Seen& seen, NanPolicy nan,
                                     bool weights_negative, bool weights_zero, Real& r) {
  r = Real::nan();
  if (seen.nan != 0 && nan == NanPolicy::raise) {
    r = Real::bad(Status::nan_found);
    return true;
  }
  if (seen.nan != 0 || seen.n == 0 || weights_zero) return true;
  if (!seen.infinite) return false;
  if (!is_plain(f.name) || seen.invalid || seen.above == seen.below) return true;
  const bool negative = seen.below != weights_negative;
  if (!(negative && f.root)) r = Real::infinity(negative);
  return true;
}

// The answer of carried sums.
template <class T, Recipe::Name name, class Number, class Load>
ONEFOLD_FN constexpr Real answer(const Formula& f, const Seen& seen, NanPolicy nan,
                                 const Load& load) {
  const Numbers<T, Number, Load> s{load};
  const Number w = s(one);
  Real r;
  if (is_settled(f, seen, nan, w.negative, w.zero(), r)) return r;
  const Ratio<Number> ratio = ratio_of<name>(f, s);
  Real found = formula::real_of(ratio, Sums<T>::unit);
  // A sum of -0 alone is -0.
  if (name == Recipe::Name::sum && ratio.a.zero() && found.kind == Real::Kind::finite) {
    found.negative = !seen.nonzero && !w.negative;
  }
  return found;
}

}  // namespace onefold::weighted
