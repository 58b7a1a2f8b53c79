// Answers of a row by fixed-point numbers of one length, rounded if that length decides them.
//
//   method   Ziv's: an interval that holds the exact value is made with 192 bits of fraction, then
//            with twice as many, until both of its ends round to the same number
//   ends     because no exact value is a floating-point number or lies halfway between two, unless
//            all elements are equal (theorem of Lindemann and Weierstrass, see
//            docs/decisions/0065-logsumexp.md)
//   use      add_term for each element, end_sum, then answers. Terms have weights, or none has
#pragma once

#include "onefold/core/exact/real.hpp"
#include "onefold/core/exponential/fixed.hpp"

namespace onefold {

// Limbs of fraction of the k-th length.
ONEFOLD_FN constexpr int fraction_of(int k) { return 3 << k; }

// P points to limbs. The object owns nothing; it keeps no state beside its memory.
template <class P>
class PreciseRow {
  // Limbs above the fraction that hold any f64, and a sign.
  static constexpr int integer_limbs = 18;

 public:
  // Limbs that one length takes, and of ln(sum) among them, the first ones.
  ONEFOLD_FN static constexpr int limbs(int fraction) {
    return FixedPoint<P>::limbs(fraction) + 3 * log_limbs(fraction) +
           2 * (fraction + integer_limbs);
  }
  ONEFOLD_FN static constexpr int log_limbs(int fraction) { return fraction + 1; }

  //   n         number of elements; -inf is allowed, but at least two are finite
  //   greatest  the greatest of them, finite
  //   memory    limbs(fraction) limbs
  //   log       ln(sum), if it is elsewhere: of other threads' sums
  ONEFOLD_FN PreciseRow(Size n, double greatest, int fraction, P memory, P log)
      : PreciseRow(n, greatest, fraction, memory, log, true) {}
  ONEFOLD_FN PreciseRow(Size n, double greatest, int fraction, P memory)
      : PreciseRow(n, greatest, fraction, memory, memory, true) {}
  // Of memory that has a sum already.
  ONEFOLD_FN static PreciseRow summed(Size n, double greatest, int fraction, P memory, P log) {
    return PreciseRow(n, greatest, fraction, memory, log, false);
  }

  ONEFOLD_FN int size() const { return number_.size(); }
  ONEFOLD_FN void add_term(double x) const {
    const auto d = two_sum<OneLane>(greatest_, -x);
    if (d.sum == 0) {
      limbs_of::add_at(sum_, 1, 64 * number_.fraction(), size());
    } else if (d.sum < 64.0 * number_.fraction()) {  // else e^-d is below a unit
      limbs_of::set(u_, size());
      add_to(u_, d, size());
      number_.exp_minus(u_, value_);
      limbs_of::add(sum_, value_, size());
    }
  }
  // Adds w e^(x - greatest) 2^-scale, which is below 2^4, of a weight w > 0.
  ONEFOLD_FN void add_term(double x, double w, int scale) const {
    const auto d = two_sum<OneLane>(greatest_, -x);
    const Decoded weight = decode(w);
    const int up = 53 - bit_length(weight.mantissa), exponent = weight.shift - 1074 - up;
    const double bits = d.sum * 1.4427 - exponent + scale;  // the term is about 2^(53 - bits)
    if (!(bits < 64.0 * number_.fraction() + 55)) return;   // below a unit
    limbs_of::set(u_, size());
    add_to(u_, d, size());
    int power = 0;
    if (limbs_of::is_zero(u_, size())) {
      limbs_of::set(value_, size(), 1);
    } else {
      power = number_.exp_parts(u_, value_);
    }
    limbs_of::multiply(value_, weight.mantissa << up, value_, size());
    limbs_of::shift_right(value_, static_cast<uint64_t>(power + scale - exponent), size());
    limbs_of::add(sum_, value_, size());
  }
  // Adds the sum of another row of this length, which is in `memory`.
  ONEFOLD_FN void add_sum(P memory) const {
    limbs_of::add(sum_, memory + log_limbs(number_.fraction()), size());
  }
  ONEFOLD_FN void end_sum() const { number_.log(sum_, log_); }

  // Each writes the bits of a number of the format f, or returns that the length decides nothing.
  // mean: some elements differ.
  ONEFOLD_FN bool log_of_sum(bool mean, FloatFormat f, uint64_t* bits) const {
    begin_value();
    limbs_of::set(least_, wide_size_);
    limbs_of::add_double(least_, greatest_, number_.fraction(), wide_size_);
    limbs_of::add(value_, least_, wide_size_);
    if (!mean) return decided(value_, wide_size_, log_error_ + 2, true, {f}, bits);
    // Two logarithms, and what is cut off the greatest element.
    limbs_of::set(sum_, size(), n_);
    number_.log(sum_, u_);
    widen(u_, least_);
    limbs_of::subtract(value_, least_, wide_size_);
    return decided(value_, wide_size_, log_error_ + 2, false, {f}, bits);
  }
  // Of terms with weights: rounds greatest + ln(sum) + power ln 2, less the logarithm of a second
  // row's sum of as many terms and this length, if there is one. Errors of terms are below 2^4
  // times those of exponentials.
  //   above  the number is known to be above the greatest element
  ONEFOLD_FN bool log_of_weighted(int power, const PreciseRow* second, bool above, FloatFormat f,
                                  uint64_t* bits) const {
    begin_value();
    number_.log_of_power(static_cast<uint64_t>(power < 0 ? -power : power), u_);
    widen(u_, least_);
    power < 0 ? limbs_of::subtract(value_, least_, wide_size_)
              : limbs_of::add(value_, least_, wide_size_);
    if (second != nullptr) {
      widen(second->log_, least_);
      limbs_of::subtract(value_, least_, wide_size_);
    }
    limbs_of::set(least_, wide_size_);
    limbs_of::add_double(least_, greatest_, number_.fraction(), wide_size_);
    limbs_of::add(value_, least_, wide_size_);
    return decided(value_, wide_size_, log_error_ + 6, above, {f}, bits);
  }
  // x is a finite element; some finite elements differ.
  ONEFOLD_FN bool softmax(double x, FloatFormat f, uint64_t* bits) const {
    const auto d = two_sum<OneLane>(greatest_, -x);
    if (d.sum > 4096) {
      *bits = 0;
      return true;
    }
    limbs_of::copy(log_, u_, size());
    add_to(u_, d, size());
    const int power = number_.exp_parts(u_, value_);
    limbs_of::set(least_, size());
    return decided(value_, size(), log_error_ + 3, true, {f, false, -power}, bits);
  }
  // x is a finite element.
  ONEFOLD_FN bool log_softmax(double x, FloatFormat f, uint64_t* bits) const {
    begin_value();
    limbs_of::set(least_, wide_size_);  // greatest - x, and ln(sum) is above 0
    limbs_of::add_double(least_, greatest_, number_.fraction(), wide_size_);
    limbs_of::add_double(least_, x, number_.fraction(), wide_size_, true);
    limbs_of::add(value_, least_, wide_size_);
    return decided(value_, wide_size_, log_error_ + 2, true, {f, true}, bits);
  }

 private:
  ONEFOLD_FN PreciseRow(Size n, double greatest, int fraction, P memory, P log, bool anew)
      : n_(n),
        greatest_(greatest),
        log_error_(FixedPoint<P>::exp_error + bit_length(uint64_t{n}) + 3),
        wide_size_(fraction + integer_limbs),
        log_(log),
        sum_(memory + log_limbs(fraction)),
        u_(sum_ + log_limbs(fraction)),
        value_(u_ + log_limbs(fraction)),
        least_(value_ + wide_size_),
        number_(fraction, least_ + wide_size_, anew) {
    if (anew) limbs_of::set(sum_, number_.size());
  }

  // How a number is rounded.
  struct Rounding {
    FloatFormat format;
    bool minus = false;  // the negative is rounded
    int power = 0;       // the number is multiplied by 2^power
  };

  ONEFOLD_FN void add_to(P a, QuickPair<OneLane> d, int n) const {
    limbs_of::add_double(a, d.sum, number_.fraction(), n);
    limbs_of::add_double(a, d.rest, number_.fraction(), n);
  }
  ONEFOLD_FN void widen(P from, P to) const {
    limbs_of::set(to, wide_size_);
    limbs_of::copy(from, to, size());
  }
  ONEFOLD_FN void begin_value() const { widen(log_, value_); }

  // Rounds a two's complement number, or, if `more`, one whose magnitude is between it and the next
  // one.
  ONEFOLD_FN uint64_t rounded(P a, int n, const Rounding& r, bool more) const {
    const bool negative = limbs_of::is_negative(a, n);
    if (negative) limbs_of::negate(a, n);
    int top = n - 1;
    while (top > 1) {
      const uint64_t limb = a[top];
      if (limb != 0) break;
      --top;
    }
    const uint64_t high = a[top], low = a[top - 1];
    const Uint128 leading = static_cast<Uint128>(high) << 64 | static_cast<Uint128>(low);
    const bool sticky = more || !limbs_of::is_zero(a, top - 1);
    if (negative) limbs_of::negate(a, n);
    return detail::round_to_float(leading, 64 * (top - 1 - number_.fraction()) + r.power, sticky,
                                  negative != r.minus, r.format);
  }

  // Rounds both ends of a number of n limbs with an error of 2^error units, one that is above
  // `least_` if `bounded`. That may lie halfway between two floating-point numbers.
  ONEFOLD_FN bool decided(P a, int n, int error, bool bounded, const Rounding& r,
                          uint64_t* bits) const {
    limbs_of::add_at(a, 1, error, n);
    *bits = rounded(a, n, r, false);
    limbs_of::add_at(a, 1, error + 1, n, true);
    if (!bounded || !limbs_of::is_less(a, least_, n)) return *bits == rounded(a, n, r, false);
    const bool more = !limbs_of::is_negative(least_, n) && !limbs_of::is_zero(least_, n);
    return *bits == rounded(least_, n, r, more);
  }

  Size n_;
  double greatest_;
  int log_error_, wide_size_;
  P log_, sum_, u_, value_, least_;
  FixedPoint<P> number_;
};

}  // namespace onefold
