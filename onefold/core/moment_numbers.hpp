// Computes moments of one array (skewness, ..) from the exact words of its sums, by the formulas of
// formula/statistics.hpp. The same code runs on a processor and, in one thread, on a device.
#pragma once

#include "onefold/core/pair_numbers.hpp"

namespace onefold {

// The digits of the longest number: the squared third moment has 6 digits more than two sums of
// cubes, and a quotient needs 8 more. An estimate multiplies n^4 to that, which has 8.
template <class T>
inline constexpr int digits_of_moments = 2 * accumulator::sumcube<T>::limbs + 28;

// How many sums of powers (x, x^2, ..) a formula reads.
template <Statistic is>
inline constexpr int powers_of = formula::terms_of<is>().has(Term::xxxx) ? 4 : 3;

// The sums of powers as long integers, which formulas read.
//   G       has tally, correction, and digits<A>(a), which reads canonical words
//   powers  3 or 4: how many sums there are
//   taken   if elements are multiples of 2^(32 taken) units, `taken` zero digits of each factor are
//           left out
template <class T, class G, int digits = digits_of_moments<T>>
struct MomentNumbers {
  using Number = typename LongOf<G, digits>::type;
  Number n, sum, square, cube, fourth;
  bool corrected;
  int unit;

  ONEFOLD_FN constexpr MomentNumbers(const G& g, int powers, int taken = 0)
      : n(Uint128{g.tally().n}),
        corrected(is_of_sample(g.correction)),
        unit(unit_of<T> + 32 * taken) {
    read<accumulator::sum<T>>(sum, g, Accumulator::sum, taken);
    read<accumulator::sumsq<T>>(square, g, Accumulator::sumsq, 2 * taken);
    read<accumulator::sumcube<T>>(cube, g, Accumulator::sumcube, 3 * taken);
    if (powers == 4) {
      read<accumulator::sumfourth<T>>(fourth, g, Accumulator::sumfourth, 4 * taken);
    }
  }
  ONEFOLD_FN constexpr const Number& operator()(Term t) const {
    return t == Term::x      ? sum
           : t == Term::xx   ? square
           : t == Term::xxx  ? cube
           : t == Term::xxxx ? fourth
                             : n;
  }
  ONEFOLD_FN constexpr Number fewer(int k) const {
    const Number v(static_cast<Uint128>(k < 0 ? -k : k));
    return k < 0 ? n + v : n - v;
  }
  template <Statistic is>
  ONEFOLD_FN constexpr Real statistic() const {
    return real_of(formula::statistic<is>(*this), unit);
  }

 private:
  template <class A>
  ONEFOLD_FN static constexpr void read(Number& to, const G& g, Accumulator a, int below) {
    const auto d = g.template digits<A>(a);
    if (d.zero()) return;
    ONEFOLD_ROLLED
    for (int k = d.low; k <= d.high; ++k) to.digit[k - below] = d(k);
    to.size = d.high + 1 - below;
    to.negative = d.negative;
  }
};

}  // namespace onefold
