// Exact sums of weighted terms (term.hpp), and the statistics that follow from them.
//
//   formula  an op's recipe (recipe.hpp), with the sum of the weights in place of n. It also serves
//            integer weights that say how often an element counts (`repeated`)
//   sums     fixed-point numbers that hold every product of a weight and two elements, so only the
//            final quotient is rounded
//   users    the processor, and kernels for answers that their totals leave undecided
#pragma once

#include "onefold/exact/limbs.hpp"
#include "onefold/formula/exact.hpp"
#include "onefold/recipe.hpp"
#include "onefold/status.hpp"

namespace onefold::weighted {

// How an op's answer follows from the sums. Each of them adds up w times a term, w the weight.
struct Formula {
  Statistic of = Statistic::nothing;  // `nothing`: no weighted sums give the op's answer
  bool root = false;
  bool divides = false;  // the answer is a total divided by the sum of the weights
};
// Returns an op's formula.
//   r         the op's recipe for several elements
//   repeated  weights say how often elements count; then plain totals have a formula, too
ONEFOLD_FN constexpr Formula formula_of(const Recipe& r, bool repeated) {
  const Statistic of = r.numerator.of;
  const bool divides = r.n != 1,
             never = of == total_of(Term::xy) || of == total_of(Term::zero) ||
                     of == Statistic::cosine || of == Statistic::weighted_mean || is_moment(of),
             total = is_total(of) &&
                     (!divides || of == total_of(Term::magnitude) || of == total_of(Term::xx));
  if (!r.useful() || !is_of_sums(of) || never || (total && !repeated)) return {};
  return {of, r.root, divides};
}
// Returns the terms that a formula reads, without the sum of the weights.
ONEFOLD_FN constexpr Terms terms_of(const Formula& f) {
  return formula::terms_of(f.of).without(Term::one);
}

// Returns the answer as a ratio.
//   s   a view of sums, as formulas read them; s.whole(1) is the number 1
template <Statistic is, class S>
ONEFOLD_FN constexpr auto ratio_of(const Formula& f, const S& s) {
  if constexpr (is_total(is)) {
    const typename S::Number by = f.divides ? s(Term::one) : s.whole(1);
    return formula::Ratio<typename S::Number>{s(term_of(is)), by, units_of(term_of(is)), f.root};
  } else {
    auto ratio = formula::statistic<is>(s);
    if constexpr (requires { ratio.root; }) ratio.root = f.root;
    return ratio;
  }
}

// What is known of the elements beside their sums, for NaN, infinities and the sign of a zero.
struct Seen {
  Size n = 0, nan = 0;    // elements that count; those of them with a NaN
  bool infinite = false;  // some x, y or weight is infinite
  // Some w x that is not finite (of two arrays: w |x - y|) is a NaN; is +inf; is -inf.
  bool invalid = false, above = false, below = false;
  bool nonzero = false;  // some product w x is not -0
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

// Decodes an element. All bits of an integer's magnitude are its mantissa.
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

// Passes the digits of (-1)^negative (a + b 2^64 + c 2^128) 2^position to put(k, digit), which adds
// to limb k.
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
  // 8 limbs more than a sum needs, since a deposit always passes 8 digits.
  static constexpr int limbs = limbs_for(3 * element_bits) + 8;
  // So many elements fit before a carry: each adds at most four digits to a limb.
  static constexpr Size most_adds = Size{1} << 28;
  // The digits of the longest product of sums, and of its quotient.
  static constexpr int most_digits = 2 * (limbs + limbs_for(element_bits)) + 16;

  // Returns the exponent of the lowest bit of w times a term.
  static constexpr int unit_of(Term t) { return (1 + units_of(t)) * unit; }

  // Adds an element a, or a pair a, b if `two`, with its weight w to the sums of `terms`.
  //   omits   leaves out elements with a NaN
  //   put     put(term, k, digit) adds to limb k of a term's sum
  template <Terms terms, bool two, class Put>
  ONEFOLD_FN static constexpr void lift(const Decoded& w, const Decoded& a, const Decoded& b,
                                        bool omits, Seen& seen, const Put& put) {
    const auto to = [&](Term t) { return [&put, t](int k, int64_t digit) { put(t, k, digit); }; };
    const auto weigh = [&] { deposit_words(to(Term::one), w.mantissa, 0, 0, w.shift, w.negative); };
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
    // Adds w f g; if `doubled` is 1, subtracts 2 w f g.
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
    if constexpr (terms.has(Term::x)) one_factor(Term::x, a, false);
    if constexpr (terms.has(Term::y)) one_factor(Term::y, b, false);
    if constexpr (terms.has(Term::magnitude)) one_factor(Term::magnitude, a, a.negative);
    if constexpr (terms.has(Term::xx)) two_factors(Term::xx, a, a, 0);
    if constexpr (terms.has(Term::yy)) two_factors(Term::yy, b, b, 0);
    if constexpr (terms.has(Term::xy)) two_factors(Term::xy, a, b, 0);
    if constexpr (terms.has(Term::squared_difference)) {  // w x^2 + w y^2 - 2 w x y
      two_factors(Term::squared_difference, a, a, 0);
      two_factors(Term::squared_difference, b, b, 0);
      two_factors(Term::squared_difference, a, b, 1);
    }
    if constexpr (terms.has(Term::distance)) {  // w |x - y| is w x - w y, or w y - w x
      const bool less = is_less(a, b);
      one_factor(Term::distance, a, less);
      one_factor(Term::distance, b, !less);
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

// A view of the carried sums as long integers, which formulas read.
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
  ONEFOLD_FN constexpr auto over_freedom(const Number& v) const {  // weights have no ddof
    return formula::over_freedom(v, (*this)(Term::one), whole(1), Number());
  }
};

// Returns true if elements that are not finite, or the lack of elements, decide the answer r.
//   weights_negative, weights_zero   the sum of all weights is negative; is 0
ONEFOLD_FN constexpr bool is_settled(const Formula& f, const Seen& seen, NanPolicy nan,
                                     bool weights_negative, bool weights_zero, Real& r) {
  r = Real::nan();
  if (seen.nan != 0 && nan == NanPolicy::raise) {
    r = Real::bad(Status::nan_found);
    return true;
  }
  if (seen.nan != 0 || seen.n == 0 || weights_zero) return true;
  if (!seen.infinite) return false;
  if (!is_total(f.of) || seen.invalid || seen.above == seen.below) return true;
  const bool negative = seen.below != weights_negative;
  if (!(negative && f.root)) r = Real::infinity(negative);
  return true;
}

// Returns the answer that the carried sums give.
template <class T, Statistic is, class Number, class Load>
ONEFOLD_FN constexpr Real answer(const Formula& f, const Seen& seen, NanPolicy nan,
                                 const Load& load) {
  const Numbers<T, Number, Load> s{load};
  const Number w = s(Term::one);
  Real r;
  if (is_settled(f, seen, nan, w.negative, w.zero(), r)) return r;
  const auto ratio = ratio_of<is>(f, s);
  Real found = formula::real_of(ratio, Sums<T>::unit);
  // A sum of -0 alone is -0.
  if (is == total_of(Term::x) && ratio.a.zero() && found.kind == Real::Kind::finite) {
    found.negative = !seen.nonzero && !w.negative;
  }
  return found;
}

}  // namespace onefold::weighted
