// Exact sums of weighted terms (term.hpp), and the statistics that follow from them.
//
//   formula  an op's recipe (recipe.hpp), with the sum of the weights in place of n. It also serves
//            integer weights that say how often an element counts (`repeated`)
//   sums     fixed-point numbers that hold every product of a weight and up to four elements, so
//            only the final quotient is rounded
//   users    the processor, and kernels for answers that their totals leave undecided
#pragma once

#include "onefold/core/exact/limbs.hpp"
#include "onefold/core/formula/exact.hpp"
#include "onefold/core/recipe.hpp"
#include "onefold/core/status.hpp"

namespace onefold::weighted {

// How an op's answer follows from the sums. Each of them adds up w times a term, w the weight.
struct Formula {
  Statistic of = Statistic::nothing;  // `nothing`: no weighted sums give the op's answer
  bool root = false;
  bool divides = false;  // the answer is a total divided by the sum of the weights
  bool of_mean = false;  // the answer is divided by the number of elements once more
};
// Returns an op's formula.
//   r         the op's recipe for several elements
//   repeated  weights say how often elements count; then plain totals have a formula, too
ONEFOLD_FN constexpr Formula formula_of(const Recipe& r, bool repeated) {
  const Statistic of = r.numerator.of;
  const bool divides = r.n != 1,
             never = of == total_of(Term::xy) || of == total_of(Term::zero) ||
                     of == Statistic::cosine || of == Statistic::weighted_mean,
             total = is_total(of) &&
                     (!divides || of == total_of(Term::magnitude) || of == total_of(Term::xx));
  const bool of_counts = r.of_mean || is_raw_moment(of);
  if (!r.useful() || !is_of_sums(of) || never || ((total || of_counts) && !repeated)) return {};
  return {of, r.root, divides, r.of_mean};
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
    if constexpr (is == Statistic::variance) {
      if (f.of_mean) ratio.b = ratio.b * s(Term::one);
    }
    return ratio;
  }
}

// What is known of the elements in addition to their sums, for NaN, infinities and the sign of a
// zero.
struct SpecialValues {
  Size n = 0, nan = 0;    // elements that count; those of them with a NaN
  bool infinite = false;  // some x, y or weight is infinite
  // Some product w x (for two arrays: w |x - y|) is a NaN; some is +inf; some is -inf.
  bool invalid = false, above = false, below = false;
  bool nonzero = false;  // some product w x is not -0
  ONEFOLD_FN constexpr void add(const SpecialValues& s) {
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

// A product of n mantissas, lowest word first, times 2^shift.
template <int n>
struct Product {
  uint64_t word[n];
  int shift;
  bool negative;

  ONEFOLD_FN constexpr Product<n + 1> times(const Decoded& f) const {
    Product<n + 1> p{{}, shift + f.shift, negative != f.negative};
    uint64_t carried = 0;
    for (int k = 0; k < n; ++k) {
      const Uint128 v = static_cast<Uint128>(word[k]) * f.mantissa + carried;
      p.word[k] = static_cast<uint64_t>(v);
      carried = static_cast<uint64_t>(v >> 64);
    }
    p.word[n] = carried;
    return p;
  }
  // Passes the digits of the product, or of 2^doubled times it, to put(k, digit), which adds to
  // limb k.
  template <class Put>
  ONEFOLD_FN constexpr void deposit(const Put& put, bool turned = false, int doubled = 0) const {
    const int position = shift + doubled, k = position >> 5, r = position & 31;
    const int64_t sign = negative != turned ? -1 : 0;
    uint64_t below = 0;
    for (int i = 0; i <= n; ++i) {
      const uint64_t next = i < n ? word[i] : 0, v = next << r | (below >> 1) >> (63 - r);
      below = next;
      const auto low = static_cast<int64_t>(v & 0xffffffffu), high = static_cast<int64_t>(v >> 32);
      put(k + 2 * i, (low ^ sign) - sign);
      put(k + 2 * i + 1, (high ^ sign) - sign);
    }
  }
};
ONEFOLD_FN constexpr Product<1> product_of(const Decoded& d) {
  return {{d.mantissa}, d.shift, d.negative};
}

// Exact sums of elements of T with weights of T.
//   moments   of terms up to x^4, not only up to x^2
template <class T, bool moments = false>
struct Sums {
  static constexpr bool has_moments = moments;
  static constexpr int factors = moments ? 5 : 3;
  static constexpr int unit = Floating<T> ? float_format(dtype_of<T>).unit : 0;
  static constexpr int element_bits =
      Floating<T> ? float_format(dtype_of<T>).top - float_format(dtype_of<T>).unit : 64;
  // The limbs of a sum. The added ones take carries: a deposit has two digits for each of its
  // factors, and two more.
  static constexpr int limbs = limbs_for(factors * element_bits) + 2 * factors + 2;
  // So many elements fit before a carry: each adds at most four digits to a limb.
  static constexpr Size most_adds = Size{1} << 28;
  // The digits of the longest product of sums, and of its quotient.
  // (Skewness squares a product of six factors.)
  static constexpr int most_digits =
      2 * (moments ? limbs_for(6 * element_bits) + 16 : limbs + limbs_for(element_bits)) + 16;

  // Returns the exponent of the lowest bit of w times a term.
  static constexpr int unit_of(Term t) { return (1 + units_of(t)) * unit; }

  // Adds an element a, or a pair a, b if `two`, with its weight w to the sums of `terms`.
  //   omits   leaves out elements with a NaN
  //   put     put(term, k, digit) adds to limb k of a term's sum
  template <Terms terms, bool two, class Put>
  ONEFOLD_FN static constexpr void lift(const Decoded& w, const Decoded& a, const Decoded& b,
                                        bool omits, SpecialValues& seen, const Put& put) {
    const auto to = [&](Term t) { return [&put, t](int k, int64_t digit) { put(t, k, digit); }; };
    const Product<1> weight = product_of(w);
    const auto weigh = [&] { weight.deposit(to(Term::one)); };
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
    const Product<2> wx = weight.times(a), wy = weight.times(b);
    if constexpr (terms.has(Term::x)) wx.deposit(to(Term::x));
    if constexpr (terms.has(Term::y)) wy.deposit(to(Term::y));
    if constexpr (terms.has(Term::magnitude)) wx.deposit(to(Term::magnitude), a.negative);
    if constexpr (terms.has(Term::xx)) wx.times(a).deposit(to(Term::xx));
    if constexpr (terms.has(Term::yy)) wy.times(b).deposit(to(Term::yy));
    if constexpr (terms.has(Term::xy)) wx.times(b).deposit(to(Term::xy));
    if constexpr (terms.has(Term::xxx)) wx.times(a).times(a).deposit(to(Term::xxx));
    if constexpr (terms.has(Term::xxxx)) wx.times(a).times(a).times(a).deposit(to(Term::xxxx));
    if constexpr (terms.has(Term::squared_difference)) {  // w x^2 + w y^2 - 2 w x y
      wx.times(a).deposit(to(Term::squared_difference));
      wy.times(b).deposit(to(Term::squared_difference));
      wx.times(b).deposit(to(Term::squared_difference), true, 1);
    }
    if constexpr (terms.has(Term::distance)) {  // w |x - y| is w x - w y, or w y - w x
      const bool less = is_less(a, b);
      wx.deposit(to(Term::distance), less);
      wy.deposit(to(Term::distance), !less);
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
//   Of     the Sums
//   N      a LongInteger of most_digits
//   Load   load(term) returns the pointer to a term's limbs
template <class Of, class N, class Load>
struct Numbers {
  using Number = N;
  static constexpr bool weighted = true;
  const Load& load;

  ONEFOLD_FN constexpr Number operator()(Term t) const {
    return Number(digits_in(load(t), Of::limbs));
  }
  ONEFOLD_FN static constexpr Number whole(Uint128 v) { return Number(v); }
  ONEFOLD_FN constexpr auto over_freedom(const Number& v) const {  // weights have no ddof
    return formula::over_freedom(v, (*this)(Term::one), whole(1), Number());
  }
};

// Returns true if elements that are not finite, or the lack of elements, decide the answer r.
//   weights_negative, weights_zero   the sum of all weights is negative; is 0
ONEFOLD_FN constexpr bool is_settled(const Formula& f, const SpecialValues& seen, NanPolicy nan,
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
template <class Of, Statistic is, class Number, class Load>
ONEFOLD_FN constexpr Real answer(const Formula& f, const SpecialValues& seen, NanPolicy nan,
                                 const Load& load) {
  const Numbers<Of, Number, Load> s{load};
  const Number w = s(Term::one);
  Real r;
  if (is_settled(f, seen, nan, w.negative, w.zero(), r)) return r;
  const auto ratio = ratio_of<is>(f, s);
  Real found = formula::real_of(ratio, Of::unit);
  // A sum of -0 alone is -0.
  if (is == total_of(Term::x) && ratio.a.zero() && found.kind == Real::Kind::finite) {
    found.negative = !seen.nonzero && !w.negative;
  }
  return found;
}

}  // namespace onefold::weighted
