// The variance and covariance for a ddof of many bits: exact, but slow.
#include "onefold/pair_numbers.hpp"

namespace onefold {
namespace {

// The digits of a correction: 1,074 bits of `shift`, 30 of the denominator, 64 of n, and n again.
constexpr int more_digits = 48;

// The sums of one array.
template <class T>
struct OneArray {
  using Number = LongInteger<digits_of_pairs<T> + more_digits>;
  const Gathered& g;
  Number operator()(Term t) const {
    if (t == Term::one) return Number(Uint128{g.tally().n});
    if (t == Term::x) return Number(g.digits<accumulator::sum<T>>(Accumulator::sum));
    return Number(g.digits<accumulator::sumsq<T>>(Accumulator::sumsq));
  }
};
template <class T>
using TwoArrays = PairNumbers<T, Gathered, digits_of_pairs<T> + more_digits>;

// Sums with a ddof of p / (q 2^shift).
template <class Sums>
struct CorrectedSums : Sums {
  using typename Sums::Number;
  Number factor() const {
    const Correction& c = this->g.correction;
    const auto shift = static_cast<int>(c.shift);
    return Number(static_cast<Uint128>(c.denominator) << shift % 32).shifted(shift / 32);
  }
  Number taken() const {
    const int64_t p = this->g.correction.numerator;
    const auto bits = static_cast<uint64_t>(p);
    return p < 0 ? -Number(Uint128{0 - bits}) : Number(Uint128{bits});
  }
  auto over_freedom(const Number& v) const {
    return formula::over_freedom(v, (*this)(Term::one), factor(), taken());
  }
};

template <Statistic is, template <class> class Sums>
Real answer(const Gathered& g) {
  return visit(g.dtype, [&]<class T>() {
    const auto ratio = formula::statistic<is>(CorrectedSums<Sums<T>>{{g}});
    return ratio.b.negative ? Real::nan() : real_of(ratio, unit_of<T>);
  });
}

}  // namespace

Real Gathered::long_variance() const { return answer<Statistic::variance, OneArray>(*this); }

Real Gathered::long_covariance() const { return answer<Statistic::covariance, TwoArrays>(*this); }

}  // namespace onefold
