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

// The limbs that are not 0 lie from `begin` up to `end`.
struct LimbSpan {
  int begin = 0, end = 0;
};
ONEFOLD_FN constexpr LimbSpan used_limbs(const int64_t* limb, int n) {
  LimbSpan s{0, n};
  while (s.begin + 4 <= n &&
         (limb[s.begin] | limb[s.begin + 1] | limb[s.begin + 2] | limb[s.begin + 3]) == 0) {
    s.begin += 4;
  }
  while (s.begin < n && limb[s.begin] == 0) ++s.begin;
  while (s.end - 4 >= s.begin &&
         (limb[s.end - 1] | limb[s.end - 2] | limb[s.end - 3] | limb[s.end - 4]) == 0) {
    s.end -= 4;
  }
  while (s.end > s.begin && limb[s.end - 1] == 0) --s.end;
  return s;
}

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
  // Evaluates a formula; carries may wait.
  template <Statistic is>
  ONEFOLD_FN constexpr Real formula_of(int64_t ddof = 0) const {
    const Tally t = this->tally();
    if (t.nan != 0 || t.n == 0 || t.infinite()) return Real::nan();
    int64_t few[(power_count<is> * (power_count<is> + 1) / 2) * few_digits + 2 * power_count<is>] =
        {};
    PowerDigits p;
    const int drop = copy_few<is>(few, p);
    if (drop >= 0 && p.size <= few_digits) {
      if constexpr (is == Statistic::variance) {
        if ((t.n >> 32) == 0 && !p.powers[1].negative) {
          return variance_of(few_spread(p, t.n, drop + p.drop), t.n, ddof);
        }
      } else {
        return answer_of<is>(power_sums<is, few_digits>(p, t.n), t.n, ddof, drop + p.drop);
      }
    }
    const Self canonical = this->canonical();
    p = static_cast<const TallyState&>(canonical).template power_digits<is>();
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

    ONEFOLD_FN constexpr void measure() {
      for (int k = 0; k < 4; ++k) {
        const int low = powers[k].low / (k + 1);
        if (!powers[k].zero() && low < drop) drop = low;
      }
      for (int k = 0; k < 4; ++k) {
        const int digits = powers[k].zero() ? 0 : powers[k].high + 1 - (k + 1) * drop;
        if (digits > (k + 1) * size) size = (digits + k) / (k + 1);
      }
    }
  };
  // Sums of x of so many digits are those of most data; their numbers fit a few cache lines.
  // bench/results/single.md has what that saves.
  static constexpr int few_digits = 8;

  template <Statistic is>
  static constexpr int power_count = is == Statistic::variance   ? 2
                                     : is == Statistic::kurtosis ? 4
                                                                 : 3;

  // Calls f(k, limbs, their number) for the sum of each power k + 1 that the formula reads.
  template <Statistic is, class F>
  ONEFOLD_FN constexpr void each_power(F f) const {
    f(0, this->template at<Summed>(), Summed::limbs);
    f(1, this->template at<accumulator::sumsq<T>>(), accumulator::sumsq<T>::limbs);
    if constexpr (is != Statistic::variance) {
      f(2, this->template at<accumulator::sumcube<T>>(), accumulator::sumcube<T>::limbs);
    }
    if constexpr (is == Statistic::kurtosis) {
      f(3, this->template at<accumulator::sumfourth<T>>(), accumulator::sumfourth<T>::limbs);
    }
  }
  // Of canonical words.
  template <Statistic is>
  ONEFOLD_FN constexpr PowerDigits power_digits() const {
    PowerDigits p;
    each_power<is>([&](int k, const int64_t* limb, int n) { p.powers[k] = find_digits(limb, n); });
    p.measure();
    return p;
  }
  // Copies the limbs that are not 0, if they are few, and passes their carries on, which costs less
  // than to copy all words and to pass the carries of all. Returns how many limbs of the sum below
  // are left out, k times as many of the sum of x^k; -1: there are more than a few.
  template <Statistic is>
  ONEFOLD_FN constexpr int copy_few(int64_t* few, PowerDigits& p) const {
    LimbSpan spans[4];
    int drop = Summed::limbs;
    each_power<is>([&](int k, const int64_t* limb, int n) {
      spans[k] = used_limbs(limb, n);
      const int low = spans[k].begin / (k + 1);
      if (spans[k].begin < spans[k].end && low < drop) drop = low;
    });
    bool fits = true;
    each_power<is>([&](int k, const int64_t* limb, int) {
      const int most = (k + 1) * few_digits + 2, below = (k + 1) * drop;
      const auto [begin, end] = spans[k];
      fits = fits && (begin == end || end - below < most);  // one is left for a carry
      if (!fits) return;
      for (int j = begin; j < end; ++j) few[j - below] = limb[j];
      carry(few, most);
      p.powers[k] = find_digits(few, most);
      few += most;
    });
    p.measure();
    return fits ? drop : -1;
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
  // n Q - S^2 of the sum S and the sum of squares Q.
  struct Spread {
    Leading magnitude;
    bool negative;
  };
  // Of few digits; n < 2^32, and Q >= 0.
  //   drop  by how many digits the sum of x begins above the unit
  ONEFOLD_FN static constexpr Spread few_spread(const PowerDigits& p, Size n, int drop) {
    constexpr int most = 2 * few_digits + 1;
    const auto& sum = p.powers[0];
    const auto& squares = p.powers[1];
    const int length = sum.zero() ? 0 : sum.high + 1 - p.drop;
    uint32_t s[few_digits] = {}, d[most] = {};
    for (int k = 0; k < length; ++k) s[k] = sum(k + p.drop);
    for (int i = 0; i < length; ++i) {
      uint64_t c = 0;
      for (int j = 0; j < length; ++j) {
        c += uint64_t{s[i]} * s[j] + d[i + j];
        d[i + j] = static_cast<uint32_t>(c);
        c >>= 32;
      }
      d[i + length] = static_cast<uint32_t>(c);
    }
    const int above = squares.high + 2 - 2 * p.drop, end = above > 2 * length ? above : 2 * length;
    uint64_t product = 0;
    int64_t borrow = 0;
    for (int k = 0; k < end; ++k) {
      product += uint64_t{n} * squares(k + 2 * p.drop);
      borrow += static_cast<int64_t>(product & 0xffffffffu) - int64_t{d[k]};
      d[k] = static_cast<uint32_t>(borrow);
      borrow >>= 32;
      product >>= 32;
    }
    if (borrow != 0) {
      uint64_t c = 1;
      for (int k = 0; k < end; ++k) {
        c += static_cast<uint32_t>(~d[k]);
        d[k] = static_cast<uint32_t>(c);
        c >>= 32;
      }
    }
    int low = 0, high = end - 1;
    while (high >= 0 && d[high] == 0) --high;
    if (high < 0) return {Leading(), false};
    while (d[low] == 0) ++low;
    const auto digit = [&](int k) { return d[k]; };
    return {leading_digits(digit, low, high, 2 * (unit_of<T> + 32 * drop)), borrow != 0};
  }
  ONEFOLD_FN static constexpr Real variance_of(const Spread& spread, Size n, int64_t ddof) {
    if (ddof >= static_cast<int64_t>(n)) return Real::nan();
    Real v;
    v.negative = spread.negative;
    v.numerator = spread.magnitude;
    v.n = n;
    v.left = n - static_cast<Size>(ddof);
    if ((v.n >> 16) == 0 && (v.left >> 16) == 0) {  // one division by 32 bits is quicker than two
      v.n *= v.left;
      v.left = 1;
    }
    return v;
  }
  template <Statistic is, class Sums>
  ONEFOLD_FN static constexpr Real answer_of(const Sums& s, Size n, int64_t ddof, int drop) {
    if constexpr (is != Statistic::variance) {
      return formula::real_of(formula::statistic<is>(s), 0);
    } else {
      const auto spread = formula::spread_x(s);
      return variance_of({leading(spread, 2 * (unit_of<T> + 32 * drop)), spread.negative}, n, ddof);
    }
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
    Real r = this->template formula_of<Statistic::variance>(ddof);
    r.root = root;
    return rounded<U>(r);
  }
};

}  // namespace onefold::detail
