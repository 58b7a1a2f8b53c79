// States that count their elements by a tally, and hold their sum: what ExactSum, ExactVar and
// ExactMoments have in common.
#pragma once

#include "onefold/core/accumulator/sumcube.hpp"
#include "onefold/core/accumulator/sumfourth.hpp"
#include "onefold/core/accumulator/sumsq.hpp"
#include "onefold/core/formula/exact.hpp"
#include "onefold/core/single/answer.hpp"
#include "onefold/core/single/blocks.hpp"
#include "onefold/core/single/state.hpp"

namespace onefold::detail {

// The sums of powers of n elements as long integers, which formulas read.
template <int digits>
struct PowerSums {
  using Number = LongInteger<digits>;
  Number n, powers[4];

  ONEFOLD_FN constexpr const Number& operator()(Term t) const {
    return t == Term::x      ? powers[0]
           : t == Term::xx   ? powers[1]
           : t == Term::xxx  ? powers[2]
           : t == Term::xxxx ? powers[3]
                             : n;
  }
};

template <class Self, class T, class... A>
class TallyState : public ExactState<Self, T, accumulator::tally<T>, A...> {
  using Tallied = accumulator::tally<T>;
  using Summed = accumulator::sum<T>;

 public:
  // The sum. U: any floating-point type, or an integer type if T is one.
  //   throws  Overflow: an integer type U cannot hold it
  template <class U = SumOf<T>>
  ONEFOLD_FN constexpr U sum() const {
    static_assert(Floating<U> || !Floating<T>, "a sum of floats is a float");
    return rounded<U>(this->canonical().sum_of_all());
  }
  template <class U = FractionOf<T>>
  ONEFOLD_FN constexpr U mean() const {
    static_assert(Floating<U>, "a mean is a float");
    return rounded<U>(divided_by(this->canonical().sum_of_all(), this->count()));
  }

 protected:
  // Adds one element to the tally and to the sum. Returns whether it is finite.
  ONEFOLD_FN constexpr bool add_one(T x) {
    if constexpr (Floating<T>) {
      const uint64_t bits = bit_cast<bits_of<T>>(x);
      if (!is_finite(x)) {
        this->template lift<Tallied>(x);
        return false;
      }
      int64_t* const tally = this->template at<Tallied>();
      tally[Tallied::n] += 1;
      tally[Tallied::not_negative_zero] += bits != sign_bit<T> ? 1 : 0;
      deposit_float(this->template at<Summed>(), x);
    } else {
      this->template lift<Tallied>(x);
      this->template lift<Summed>(x);
    }
    this->deposited(1);
    return true;
  }
  // Adds the square of a finite element.
  ONEFOLD_FN constexpr void add_square(T x) {
    this->deposited(2);
    if constexpr (Floating<T>) {
      deposit_product(this->template at<accumulator::sumsq<T>>(), x, x);
    } else {
      this->template lift<accumulator::sumsq<T>>(x);
    }
  }
  // Adds an array to the tally and to the sum.
  ONEFOLD_FN constexpr void add_all(const T* p, Size n) {
    int64_t* const tally = this->template at<Tallied>();
    int64_t* const limb = this->template at<Summed>();
    if constexpr (Floating<T>) {
      constexpr auto infinite =
          static_cast<int32_t>((infinity_bits<T>) >> (sizeof(T) == 8 ? 32 : 0));
      while (n >= block) {
        const Range r = range_of(p);
        if (r.high >= infinite || r.high == 0) {
          for (int k = 0; k < block; ++k) add_one(p[k]);
        } else {
          tally[Tallied::n] += block;
          tally[Tallied::not_negative_zero] += 1;
          this->deposited(add_block(limb, p, r));
        }
        p += block;
        n -= block;
      }
      for (Size k = 0; k < n; ++k) add_one(p[k]);
    } else {
      while (n > 0) {
        const int some = n < 65536 ? static_cast<int>(n) : 65536;
        add_integers(limb, p, some);
        tally[Tallied::n] += some;
        this->deposited(2);
        p += some;
        n -= static_cast<Size>(some);
      }
    }
  }

  // Returns the sum of canonical words.
  ONEFOLD_FN constexpr Real sum_of_all() const {
    const LimbView view{this->template at<Summed>(), Summed::limbs, Summed::unit};
    return signed_sum(view, this->tally(), 0);
  }
  // Evaluates a formula over canonical words.
  template <Statistic is>
  ONEFOLD_FN constexpr Real formula_of(int64_t ddof = 0) const {
    const Tally t = this->tally();
    if (t.nan != 0 || t.n == 0 || t.infinite()) return Real::nan();
    const auto p = power_digits<is>();
    if (p.size <= few_digits) {
      return answer_of<is>(power_sums<is, few_digits>(p, t.n), t.n, ddof, p.drop);
    }
    return answer_of<is>(power_sums<is>(p, t.n), t.n, ddof, p.drop);
  }
  // Whether n Q >= S^2, as it is of n finite elements.
  ONEFOLD_FN constexpr bool spread_possible(Size n) const {
    const auto p = power_digits<Statistic::variance>();
    const auto s = power_sums<Statistic::variance>(p, n);
    return !s.powers[1].negative && !formula::spread_x(s).negative;
  }

 private:
  // The sums of powers that a formula reads, in units of 2^(32 k drop) for those of x^k: digits
  // below are 0.
  struct PowerDigits {
    Digits<const int64_t*> powers[4];
    int drop = Summed::limbs;
    int size = 0;  // the sum of x^k has at most k times so many digits
  };
  // Sums of x of so many digits are those of most data; their numbers fit a few cache lines.
  // bench/results/single.md has what that saves.
  static constexpr int few_digits = 8;

  template <Statistic is>
  ONEFOLD_FN constexpr PowerDigits power_digits() const {
    PowerDigits p;
    find<Summed>(p.powers[0]);
    find<accumulator::sumsq<T>>(p.powers[1]);
    if constexpr (is != Statistic::variance) find<accumulator::sumcube<T>>(p.powers[2]);
    if constexpr (is == Statistic::kurtosis) find<accumulator::sumfourth<T>>(p.powers[3]);
    for (int k = 0; k < 4; ++k) {
      const int low = p.powers[k].low / (k + 1);
      if (!p.powers[k].zero() && low < p.drop) p.drop = low;
    }
    for (int k = 0; k < 4; ++k) {
      const int digits = p.powers[k].zero() ? 0 : p.powers[k].high + 1 - (k + 1) * p.drop;
      if (digits > (k + 1) * p.size) p.size = (digits + k) / (k + 1);
    }
    return p;
  }
  template <Statistic is, int size = Summed::limbs>
  ONEFOLD_FN constexpr auto power_sums(const PowerDigits& p, Size n) const {
    // The longest number is a product of two sums of x, or of x^3 and what a quotient needs more.
    using Long = PowerSums<is == Statistic::variance ? 2 * size + 4 : 6 * size + 24>;
    using Number = typename Long::Number;
    Long s;
    s.n = Number(Uint128{n});
    s.powers[0] = Number(p.powers[0], p.drop);
    s.powers[1] = Number(p.powers[1], 2 * p.drop);
    if constexpr (is != Statistic::variance) s.powers[2] = Number(p.powers[2], 3 * p.drop);
    if constexpr (is == Statistic::kurtosis) s.powers[3] = Number(p.powers[3], 4 * p.drop);
    return s;
  }
  template <Statistic is, class Sums>
  ONEFOLD_FN static constexpr Real answer_of(const Sums& s, Size n, int64_t ddof, int drop) {
    if constexpr (is != Statistic::variance) {
      return formula::real_of(formula::statistic<is>(s), 0);
    } else {
      if (ddof >= static_cast<int64_t>(n)) return Real::nan();
      const auto spread = formula::spread_x(s);
      Real v;
      v.negative = spread.negative;
      v.numerator = leading(spread, 2 * (unit_of<T> + 32 * drop));
      v.n = n;
      v.left = n - static_cast<Size>(ddof);
      if ((v.n >> 16) == 0 && (v.left >> 16) == 0) {  // one division by 32 bits is quicker than two
        v.n *= v.left;
        v.left = 1;
      }
      return v;
    }
  }
  template <class B>
  ONEFOLD_FN constexpr void find(Digits<const int64_t*>& to) const {
    to = find_digits(this->template at<B>(), B::limbs);
  }
};

// Those that hold the sum of squares, too.
template <class Self, class T, class... A>
class SpreadState : public TallyState<Self, T, A...> {
 public:
  // (n Q - S^2) / (n (n - ddof)) of the sum S and the sum of squares Q; NaN for n <= ddof.
  template <class U = FractionOf<T>, class K = int64_t>
  ONEFOLD_FN constexpr U var(K ddof = 0) const {
    static_assert(K(1) / K(2) == 0, "ddof is an integer");
    return spread<U>(static_cast<int64_t>(ddof), false);
  }
  template <class U = FractionOf<T>, class K = int64_t>
  ONEFOLD_FN constexpr U std(K ddof = 0) const {
    static_assert(K(1) / K(2) == 0, "ddof is an integer");
    return spread<U>(static_cast<int64_t>(ddof), true);
  }
  // For ExactState.
  ONEFOLD_FN constexpr bool sums_possible(Size n) const { return this->spread_possible(n); }

 private:
  template <class U>
  ONEFOLD_FN constexpr U spread(int64_t ddof, bool root) const {
    static_assert(Floating<U>, "a variance is a float");
    Real r = this->canonical().template formula_of<Statistic::variance>(ddof);
    r.root = root;
    return rounded<U>(r);
  }
};

}  // namespace onefold::detail
